import type { ModelAnswer, ModelPort } from '../../../activities/dependencies';
import { defaultLimits, type OpenedAgent, type Turn } from '../../../domain/agent';
import type { JsonObject } from '../../../domain/kernel';
import type { CallRefused, StopReason } from '../../../domain/model';
import type { BlobRef, Store } from '../../../domain/store';
import { openFileStore } from '../../../store/file/open-file-store';
import { TranscriptCache } from '../../../store/transcript/cache';
import { Transcripts } from '../../../store/transcript/transcripts';
import { FailingFiles, type Fault, unsyncedFiles } from '../../store/support/failing-files';
import { newFolder, newJournalKeys } from '../../store/support/folders';
import { WatchedFiles } from '../../store/support/watched-files';
import { activitiesFor, Attempts, quietEnvironment } from '../../support/activity-environment';
import { planFormat } from '../model/support';
import { replyOf, turnInput } from './turn-support';

const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5 };
const text = (content: string): ModelAnswer['content'] => [{ type: 'text', text: content }];
const toolCall = (input: JsonObject): ModelAnswer['content'] => [
  { type: 'toolCall', id: 'call-1', name: 'write', input },
];
const answer = (stopReason: StopReason, content: ModelAnswer['content']): ModelAnswer => ({
  content,
  stopReason,
  usage,
  model: 'scripted',
});

/** A model that counts what it is paid for. `name` makes the answers of each case different blobs. */
class CountingModel implements ModelPort {
  readonly nativeStructuredOutput = false;
  paid = 0;

  constructor(
    private readonly name: string,
    private readonly answers: (name: string) => readonly ModelAnswer[],
  ) {}

  reply(request: { output?: unknown }): Promise<ModelAnswer> {
    this.paid += 1;
    const answers = this.answers(this.name);
    // A request without an output format is the second one, after a stop sequence cut a tool call.
    return Promise.resolve(answers[answers.length > 1 && request.output === undefined ? 1 : 0]!);
  }

  countTokens(): Promise<number> {
    return Promise.resolve(0);
  }
}

interface Scenario {
  readonly requests: number;
  answers(name: string): readonly ModelAnswer[];
}

const long = 'x'.repeat(3_000);
const scenarios: Readonly<Record<'answer' | 'tool' | 'clash' | 'pack', Scenario>> = {
  answer: { requests: 1, answers: (name) => [answer('done', text(`${name}: ${long}`))] },
  tool: { requests: 1, answers: (name) => [answer('toolCalls', toolCall({ text: `${name}: ${long}` }))] },
  clash: {
    requests: 2,
    answers: (name) => [answer('stopSequence', toolCall({})), answer('toolCalls', toolCall({ text: name + long }))],
  },
  // The link of this turn refers to a pack of the links before it.
  pack: { requests: 1, answers: (name) => [answer('done', text(name))] },
};

/** The disk of first attempts: it knows what a power cut would spare, and fails at a chosen call. */
const power = new WatchedFiles();
const disk = new FailingFiles(power.files);
/** Files of the journal that earlier cases wrote. Reading all of them for each case would take minutes. */
const knownRecords = new Set<string>();
let folder: string;
/** Stores of the worker that makes first attempts, and of the one that makes second attempts. */
let unsound: Store;
let sound: Store;
let heads: Record<keyof typeof scenarios, BlobRef>;
let storeId: string;

beforeAll(async () => {
  folder = await newFolder();
  sound = await openFileStore(folder, { files: unsyncedFiles });
  unsound = await openFileStore(folder, { files: disk.files });
  const { openRun } = activitiesFor(unsound, new CountingModel('', () => []));
  const opened: OpenedAgent = await quietEnvironment().run(openRun, {
    runId: 'r1',
    goal: 'Say something.',
    model: { name: 'claude-sonnet-5-5', maxTokens: 4_000, window: 200_000 },
    limits: defaultLimits,
  });
  storeId = opened.storeId;
  const transcripts = new Transcripts(sound.forRun('r1'), new TranscriptCache());
  const opening = await transcripts.load(opened.opening);
  const strict = await transcripts.begin({ ...opening.opening, output: planFormat });
  let chain = opening;
  for (let turn = 1; turn < 16; turn += 1)
    chain = await transcripts.append(chain, [{ kind: 'note', from: 'engine', text: `turn ${turn}` }]);
  heads = { answer: opened.opening, tool: opened.opening, clash: strict.head, pack: chain.head };
});

interface Case {
  readonly scenario: keyof typeof scenarios;
  /** Identifies the call. */
  readonly name: string;
  readonly fault?: Fault;
  /** Whether the worker dies, so that its last heartbeats are lost. */
  readonly dies?: boolean;
  /** What a power cut does after the first attempt, besides that. */
  readonly powerCut?: 'lost' | 'torn' | undefined;
}

interface Played {
  readonly reply: Turn | CallRefused;
  /** Calls to the file system in the first attempt. */
  readonly calls: number;
  /** Requests that were paid for when the first attempt had ended, and in the end. */
  readonly paidFirst: number;
  readonly paid: number;
  /** Answers in the journal when the first attempt had ended. */
  readonly journaled: number;
}

/** Makes a call whose first attempt meets the fault. The second one is made by another worker on a sound disk. */
async function play({ scenario, name, fault, dies = false, powerCut }: Case): Promise<Played> {
  const model = new CountingModel(name, scenarios[scenario].answers);
  const input = turnInput({
    runId: 'r1',
    storeId,
    head: heads[scenario],
    notes: [`This is ${name}.`],
    identity: { execution: name, call: 0, try: 0 },
  });
  const attempts = new Attempts('runTurn');
  disk.count = 0;
  disk.fault = fault;
  // The worker's caches are lost with it, so each attempt has its own.
  const failed: unknown = await attempts
    .next(activitiesFor(unsound, model).runTurn, input)
    .catch((error: unknown) => error);
  disk.fault = undefined;
  if (powerCut !== undefined) await power.cutPower(powerCut);
  if (fault === undefined) expect(failed).not.toBeInstanceOf(Error);
  const [calls, paidFirst] = [disk.count, model.paid];
  const keys = dies ? await newJournalKeys(folder, 'r1', knownRecords) : [];
  const journaled = keys.filter((key) => key.startsWith(`answer/${name}/`)).length;
  if (dies || powerCut !== undefined) attempts.forgetHeartbeats();
  const reply = await attempts.next(activitiesFor(sound, model).runTurn, input);
  return { reply, calls, paidFirst, paid: model.paid, journaled };
}

/** Plays every case in which the first attempt fails, until there are no more calls that could fail. */
async function atEveryCall(
  scenario: keyof typeof scenarios,
  fault: Omit<Fault, 'at'>,
  check: (played: Played) => void,
  dies = false,
): Promise<void> {
  const group = [scenario, ...Object.values(fault), dies ? 'died' : 'failed'].join(' ');
  const { calls, paid } = await play({ scenario, name: group });
  expect(paid).toBe(scenarios[scenario].requests);
  for (let at = 0; at < calls; at += 1) {
    const name = `${group} ${at}`;
    const played = await play({ scenario, name, fault: { ...fault, at }, dies });
    const again = await play({ scenario, name });
    // Nothing is missing, and nothing differs from what the model answered.
    expect(again.reply).toEqual(played.reply);
    expect(again.paid).toBe(0);
    check(played);
  }
  // As many calls as a turn with its answer and its link makes.
  expect(calls).toBeGreaterThan(15);
}

describe.each(['answer', 'tool', 'clash', 'pack'] as const)('a call that ends with "%s"', (scenario) => {
  test.each<[string, Omit<Fault, 'at'>]>([
    ['fails once', { calls: 'once', code: 'ENOSPC' }],
    ['fails from then on', { calls: 'from', code: 'EIO', tookEffect: true }],
  ])('is paid for once when the store %s, at any point', async (_, fault) => {
    await atEveryCall(scenario, fault, ({ paid }) => {
      expect(paid).toBe(scenarios[scenario].requests);
    });
  });

  test.each([false, true])('is not paid for again when the worker dies at any point (%s)', async (tookEffect) => {
    const fault = { calls: 'from', code: 'EIO', tookEffect } as const;
    const lost = new Set<number>();
    await atEveryCall(
      scenario,
      fault,
      ({ paid, paidFirst, journaled }) => {
        // All that can be lost is an answer that was not on the disk yet.
        expect(paid - paidFirst).toBe(scenarios[scenario].requests - journaled);
        lost.add(paidFirst - journaled);
      },
      true,
    );
    expect(Math.max(...lost)).toBeLessThanOrEqual(1);
  });

  test.each(['lost', 'torn'] as const)(
    'is not paid for again after a power cut, once it has returned (%s)',
    async (cut) => {
      const { paid, reply } = await play({ scenario, name: `${scenario} then ${cut}`, powerCut: cut });
      expect(paid).toBe(scenarios[scenario].requests);
      const { head } = replyOf(reply);
      const transcripts = new Transcripts(sound.forRun('r1'), new TranscriptCache());
      expect((await transcripts.load(head)).head).toEqual(head);
    },
  );

  test.each(['lost', 'torn'] as const)('outlasts a power cut at any point (%s)', async (powerCut) => {
    const { requests } = scenarios[scenario];
    const { calls } = await play({ scenario, name: `${scenario} before ${powerCut}` });
    // Every third point, because the others differ little.
    for (let at = 0; at < calls; at += 3) {
      const name = `${scenario} ${powerCut} at ${at}`;
      const fault = { calls: 'from', code: 'EIO', at, tookEffect: true } as const;
      const { paid, reply } = await play({ scenario, name, fault, dies: true, powerCut });
      // Only the call in flight can be lost.
      expect(paid).toBeLessThanOrEqual(2 * requests);
      expect(await play({ scenario, name })).toMatchObject({ reply, paid: 0 });
    }
  });
});
