import { z } from 'zod';
import type { ModelAnswer, ModelPort } from '../../../activities/dependencies';
import type { AgentActivities } from '../../../activities/interface';
import { defineTool, type Tool } from '../../../activities/tool/define-tool';
import {
  areTurns,
  defaultLimits,
  type OpenedAgent,
  type RunTurnResult,
  type Turn,
  turnsOf,
} from '../../../domain/agent';
import type { ReplyBlock } from '../../../domain/model';
import type { BlobRef, Store } from '../../../domain/store';
import type { FileState } from '../../../domain/workspace';
import { sha256 } from '../../../store/blobs';
import { openFileStore } from '../../../store/file/open-file-store';
import { TranscriptCache } from '../../../store/transcript/cache';
import { Transcripts } from '../../../store/transcript/transcripts';
import { Trees } from '../../../store/workspace/trees';
import { FailingFiles, unsyncedFiles } from '../../store/support/failing-files';
import { newFolder, newJournalKeys } from '../../store/support/folders';
import { WatchedFiles } from '../../store/support/watched-files';
import { activitiesFor, quietEnvironment } from '../../support/activity-environment';
import { planFormat } from '../model/support';
import { turnInput } from './turn-support';

const text = (content: string): ReplyBlock => ({ type: 'text', text: content });
const answer = (stopReason: ModelAnswer['stopReason'], ...content: ReplyBlock[]): ModelAnswer => ({
  content,
  stopReason,
  usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 5 },
  model: 'scripted',
});
const calls = (name: string, ...tools: readonly string[]): ModelAnswer =>
  answer(
    'toolCalls',
    ...tools.map((tool, index): ReplyBlock => ({ type: 'toolCall', id: `call-${index}`, name: tool, input: { name } })),
  );

/** What the model answers to each request of a turn. `name` makes the answers of each case different blobs. */
export const scenarios = {
  answer: (name) => [answer('done', text(`${name}: ${'x'.repeat(3_000)}`))],
  'one tool': (name) => [calls(name, 'look')],
  'five tools, one of them slow': (name) => [calls(name, 'look', 'look', 'slow', 'look', 'look')],
  'a stop sequence inside a tool call': (name) => [
    answer('stopSequence', { type: 'toolCall', id: 'cut', name: 'look', input: {} }),
    calls(name, 'look'),
  ],
  'an unusable reply': (name) => [answer('done'), calls(name, 'look')],
  'tools inside and outside': (name) => [calls(name, 'peek', 'buy', 'look')],
  // The link of this turn refers to a pack of the links before it.
  'a pack of links': (name) => [answer('done', text(name))],
  'changes to fold': (name) => [calls(name, 'look')],
  // One answer for each turn. An activity takes all of them.
  'three more in the same activity': (name) => [
    calls(name, 'look'),
    calls(name, 'peek'),
    calls(name, 'look', 'peek'),
    answer('done', text(name)),
  ],
} satisfies Record<string, (name: string) => readonly ModelAnswer[]>;
export type ScenarioName = keyof typeof scenarios;

/** A model that counts what it is paid for. */
export class CountingModel implements ModelPort {
  readonly nativeStructuredOutput = false;
  paid = 0;
  /** Awaited before each answer. */
  before: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly name: string,
    private readonly scenario: ScenarioName,
    /** Number of answers that the turn has from earlier attempts. */
    private readonly first = 0,
  ) {}

  async reply(): Promise<ModelAnswer> {
    const answers = scenarios[this.scenario](this.name);
    const found = answers[Math.min(this.first + this.paid, answers.length - 1)];
    if (found === undefined) throw new Error('The script has no answers');
    this.paid += 1;
    await this.before();
    return found;
  }

  countTokens(): Promise<number> {
    return Promise.resolve(0);
  }
}

const realTime = performance.now.bind(performance);

/** A store, tools that count their calls, and turns to take. */
export class TurnStage {
  /** Runs of tools, by the name of the case and the tool. */
  readonly runs = new Map<string, number>();
  /** Awaited by the tool `look`. */
  looking: () => Promise<void> = () => Promise.resolve();
  private readonly known = new Set<string>();

  private constructor(
    /** Folder of both stores. */
    readonly folder: string,
    /** Store of workers that die, on `disk`, and of the others. */
    public unsound: Store,
    readonly sound: Store,
    readonly disk: FailingFiles,
    /** What a power cut would spare on that disk. */
    readonly power: WatchedFiles,
    private clock: number,
  ) {}

  private storeId = '';
  private heads:
    | {
        readonly opening: BlobRef;
        readonly strict: BlobRef;
        readonly chain: BlobRef;
        readonly root: Pick<BlobRef, 'hash' | 'bytes'>;
      }
    | undefined;

  /** Opens a stage whose power may be cut. Knowing what that spares takes time, so it has to be asked for. */
  static async open(withPowerCuts = false): Promise<TurnStage> {
    const power = new WatchedFiles();
    const disk = new FailingFiles(withPowerCuts ? power.files : unsyncedFiles);
    const folder = await newFolder();
    const sound = await openFileStore(folder, { files: unsyncedFiles });
    const stage = new TurnStage(folder, await openFileStore(folder, { files: disk.files }), sound, disk, power, 0);
    // The slow tool moves this clock instead of taking its time.
    jest.spyOn(performance, 'now').mockImplementation(() => realTime() + stage.clock);
    const { openRun } = stage.activities(stage.unsound, new CountingModel('', 'answer'));
    const opened: OpenedAgent = await quietEnvironment().run(openRun, {
      runId: 'r1',
      goal: 'Say something.',
      model: { name: 'claude-sonnet-5-5', maxTokens: 4_000, window: 200_000 },
      limits: defaultLimits,
    });
    const transcripts = new Transcripts(stage.unsound.forRun('r1'), new TranscriptCache());
    let chain = await transcripts.load(opened.opening);
    const strict = await transcripts.begin({ ...chain.opening, output: planFormat });
    for (let turn = 1; turn < 16; turn += 1)
      chain = await transcripts.append(chain, [{ kind: 'note', from: 'engine', text: `turn ${turn}` }]);
    stage.storeId = opened.storeId;
    const { hash, bytes } = await new Trees(stage.unsound.forRun('r1')).write([]);
    stage.heads = { opening: opened.opening, strict: strict.head, chain: chain.head, root: { hash, bytes } };
    return stage;
  }

  /** Replaces the store of workers that die: what it remembers is lost with its worker. */
  async restart(): Promise<void> {
    this.unsound = await openFileStore(this.folder, { files: this.disk.files });
  }

  /** The activities of a worker that has just started: caches are lost with a worker. */
  activities(store: Store, model: ModelPort, tools = this.tools()): AgentActivities {
    return activitiesFor(store, model, tools);
  }

  /** The input of a turn in this scenario. */
  input(scenario: ScenarioName, name: string): ReturnType<typeof turnInput> {
    if (this.heads === undefined) throw new Error('The stage is not open');
    const { opening, strict, chain } = this.heads;
    const needed = { 'a stop sequence inside a tool call': strict, 'a pack of links': chain };
    const hasFold = scenario === 'changes to fold';
    const isBurst = scenario === 'three more in the same activity';
    return turnInput({
      runId: 'r1',
      storeId: this.storeId,
      head: Object.hasOwn(needed, scenario) ? needed[scenario as keyof typeof needed] : opening,
      notes: [`This is ${name}.`],
      identity: { execution: name, call: 0, try: 0 },
      inside: hasFold ? { workspace: { root: this.heads.root, changes: changesOf(name) } } : {},
      ...(isBurst ? { burst: { turns: 4, window: 100_000 } } : {}),
    });
  }

  /** Records of the case in the journal that were written since the last call: `answer`, `turn`, `tool 2`. */
  async journaled(name: string): Promise<string[]> {
    const keys = (await newJournalKeys(this.folder, 'r1', this.known)).map((key) => key.split('/'));
    const ofCase = keys.filter(([, execution]) => execution === name);
    return ofCase.map(([kind = '', ...place]) => (kind === 'tool' ? `tool ${place.at(-1)}` : kind));
  }

  /** The tools of a worker; by default all. */
  tools(names = ['look', 'slow', 'buy', 'peek']): Tool[] {
    const count = (name: string, tool: string): void => {
      this.runs.set(`${name} ${tool}`, (this.runs.get(`${name} ${tool}`) ?? 0) + 1);
    };
    const tool = (name: string, more: { safeToRepeat?: boolean; run?: () => Promise<void> } = {}): Tool =>
      defineTool({
        name,
        id: `test/${name}@1`,
        description: 'Looks.',
        parameters: z.object({ name: z.string() }),
        success: 'A text.',
        cost: 'Free.',
        safeToRepeat: more.safeToRepeat ?? true,
        run: async (input) => {
          count(input.name, name);
          await more.run?.();
          return { message: `${input.name} ${name}: ${'y'.repeat(3_000)}` };
        },
      });
    const peek = tool('peek');
    const wait = async (): Promise<void> => {
      // Most of the others have ended then, so that they don't seem slow too.
      await new Promise((resolve) => setTimeout(resolve, 5));
      this.clock += 1_500;
    };
    const all: Tool[] = [
      tool('look', { run: () => this.looking() }),
      tool('slow', { run: wait }),
      tool('buy', { safeToRepeat: false }),
      { ...peek, description: { ...peek.description, inline: 'quick' } },
    ];
    return all.filter(({ description }) => names.includes(description.name));
  }
}

/** Changed files, enough for a turn to fold them into the tree, and different in each case. */
function changesOf(name: string): FileState[] {
  const newHash = sha256(Buffer.from(name));
  return ['a', 'b', 'folder/c', 'folder/d'].map((path) => ({ path, newHash, bytes: name.length }));
}

/** What is the same in every case of a scenario: no hashes, texts or times. */
export function shapeOf(taken: RunTurnResult): unknown {
  return areTurns(taken) ? turnsOf(taken).map(shapeOfTurn) : taken;
}

function shapeOfTurn({ ran = [], calls: left = [], stopReason, usage, lastUsage, root }: Turn): unknown {
  return {
    hasFolded: root !== undefined,
    ran: ran.map(({ id, name, isError }) => ({ id, name, isError })),
    left: left.map(({ id, name, index, why }) => ({ id, name, index, why })),
    stopReason,
    usage,
    lastUsage,
  };
}
