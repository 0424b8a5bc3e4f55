import { createHash } from 'node:crypto';
import { BatonError } from '../../../client/client-errors';
import type { ConversationCall, ConversationEntry, ConversationTurn } from '../../../client/conversation/conversation';
import type { PageSource } from '../../../cli/ui/page-source';
import type { FilesView, PromptView } from '../../../page/protocol';
import { figures, generatedId, startOfRun } from './generated-run';
import { GeneratedSource } from './generated-source';

/** An entry without its position. */
type NewEntry = ConversationEntry extends infer Entry
  ? Entry extends unknown
    ? Omit<Entry, 'position'>
    : never
  : never;

export const runId = 'r-conversation';
/** Paths of agents: one that works, one that has ended, one that has ended after all kinds of entries. */
export const agents = { working: generatedId(1), ended: generatedId(2), eventful: generatedId(3) };

/** A run whose conversations tests write themselves. */
export class ConversationSource extends GeneratedSource {
  private readonly conversations = new Map<string, ConversationEntry[]>();
  private readonly blobs = new Map<string, string>();
  private prompts = new Map<string, PromptView>();
  changedFiles: FilesView = { files: [] };

  constructor() {
    super([{ runId, agents: 6, batch: 5, running: 1, isOpen: true, goal: 'Review the licences of all dependencies' }]);
    for (const path of Object.values(agents)) this.conversations.set(path, []);
    this.conversations.set('', []);
  }

  /** Adds entries to a conversation, and lets the page know. */
  say(path: string, entries: readonly NewEntry[]): void {
    const all = this.conversations.get(path) ?? [];
    for (const entry of entries) all.push({ ...entry, position: all.length });
    this.conversations.set(path, all);
    const turn = all.filter(({ kind }) => kind === 'turn').length;
    this.push(runId, { rows: [{ path, turn, own: figures(turn) }], touched: [path] });
  }

  /** Number of turns of an agent. */
  turnsOf(path: string): number {
    return (this.conversations.get(path) ?? []).filter(({ kind }) => kind === 'turn').length;
  }

  /** Replaces an entry, such as a turn of which a call has ended. */
  replace(path: string, entry: ConversationEntry): void {
    const all = this.conversations.get(path) ?? [];
    all[entry.position] = entry;
    this.push(runId, { rows: [], touched: [path] });
  }

  /** Stores a text. Returns its beginning, with its size and hash. */
  store(text: string, head = 4_096): ConversationTurn['text'][number] {
    const hash = createHash('sha256').update(text).digest('hex');
    this.blobs.set(hash, text);
    return { text: text.slice(0, head), whole: { bytes: Buffer.byteLength(text), hash } };
  }

  setPrompt(path: string, sections: PromptView['sections']): void {
    const text = sections.map((section) => section.text).join('');
    const hash = createHash('sha256').update(text).digest('hex');
    this.prompts.set(path, { hash, bytes: Buffer.byteLength(text), isIntact: true, sections });
  }

  override entries(
    run: string,
    agent: string,
    { before, after, limit }: Parameters<PageSource['entries']>[2],
  ): ReturnType<PageSource['entries']> {
    const all = this.conversations.get(agent) ?? [];
    const some = all.filter(({ position }) => position < (before ?? Infinity) && position > (after ?? -1));
    const entries = after === undefined ? some.slice(-limit) : some.slice(0, limit);
    const prompt = this.prompts.get(agent);
    return Promise.resolve({
      agent: `run/${run}/${agent}`,
      prompt: prompt === undefined ? null : { hash: prompt.hash, bytes: prompt.bytes },
      entries,
      total: all.length,
      speaking: null,
    });
  }

  override blob(run: string, hash: string): Promise<Uint8Array> {
    const text = this.blobs.get(hash);
    if (text === undefined) return Promise.reject(new BatonError('Client.NotFound', `Run ${run} has no text ${hash}.`));
    return Promise.resolve(Buffer.from(text));
  }

  override prompt(run: string, agent: string): ReturnType<PageSource['prompt']> {
    const prompt = this.prompts.get(agent);
    return prompt === undefined ? super.prompt(run, agent) : Promise.resolve(prompt);
  }

  override files(): Promise<FilesView> {
    return Promise.resolve(this.changedFiles);
  }
}

/** A turn. Its number is that of its place in the conversation unless given. */
export function turn(number: number, more: Partial<ConversationTurn> = {}): NewEntry {
  const at = startOfRun + number * 10_000;
  const { usage, microUsd } = figures(1);
  return {
    kind: 'turn',
    turn: number,
    startedAt: new Date(at).toISOString(),
    at: new Date(at + 8_400).toISOString(),
    tookMs: 8_400,
    attempts: 1,
    model: 'claude-sonnet-5-5',
    stopReason: 'toolCalls',
    usage,
    microUsd,
    thinking: [],
    text: [{ text: `Turn ${number} looks at **package ${number}**.\n\nIts licence is \`MIT\`, as *expected*.` }],
    calls: [],
    ...more,
  };
}

/** A tool call with a result. */
export function call(
  callId: string,
  tool: string,
  given: object,
  result: string,
  more: Partial<ConversationCall> = {},
): ConversationCall {
  return {
    callId,
    tool,
    arguments: { text: JSON.stringify(given) },
    result: { text: result, isError: false },
    startedAt: new Date(startOfRun).toISOString(),
    tookMs: 200,
    ...more,
  };
}

/** Entries of this number of turns, from the first one on. */
export function turns(count: number, from = 1): NewEntry[] {
  return Array.from({ length: count }, (_, index) => {
    const number = from + index;
    return turn(number, {
      calls: [call(`c${number}`, 'read_file', { path: `src/file-${number}.ts` }, `const a = ${number};\nconst b = 2;`)],
    });
  });
}

/** Creates a source with conversations of every kind. */
export function conversationSource(): ConversationSource {
  const source = new ConversationSource();
  source.say(agents.working, [opening('Read package 1 and say which licence it has.'), ...turns(40)]);
  source.say(agents.ended, [opening('Read package 2.'), ...turns(120)]);
  source.say(agents.eventful, eventful());
  source.say('', [opening('Review the licences of all dependencies'), turn(1), batchTurn()]);
  return source;
}

function opening(text: string): NewEntry {
  return { kind: 'message', from: 'opening', at: new Date(startOfRun).toISOString(), text: { text } };
}

function batchTurn(): NewEntry {
  const ids = [1, 2, 3, 4, 5].map(generatedId);
  const given = { delegations: ids.map((_, index) => ({ instructions: `Read package ${index + 1}.` })) };
  return turn(2, {
    calls: [call('call-2', 'dispatch_subagents', given, 'started', { result: null, tookMs: null, delegations: ids })],
  });
}

const markdown = `## What I found

The licence is **MIT**, but \`package.json\` says otherwise. See [the text](https://opensource.org/license/mit).

| package | declared | found |
| --- | --- | ---: |
| left-pad | WTFPL | 1 |
| sharp | Apache-2.0 | 2 |

\`\`\`ts
// Reads the manifest.
export function licence(path: string): string {
  const { license = 'unknown' } = JSON.parse(readFileSync(path, 'utf8'));
  return license;
}
\`\`\`

1. Compare with the archive.
2. Write it down.
`;

function eventful(): NewEntry[] {
  const at = new Date(startOfRun + 60_000).toISOString();
  return [
    opening('Read package 3 and compare its licence with the archive.'),
    turn(1, {
      thinking: [{ text: 'The manifest is the first place to look.\nThen the archive.' }],
      text: [{ text: 'I will look at the tests first.' }],
      calls: [
        call(
          'grep-1',
          'grep',
          { pattern: 'skip', path: 'test/' },
          Array.from({ length: 14 }, (_, line) => `test/a.ts:${line}: skip`).join('\n'),
        ),
        call('read-1', 'read_file', { path: 'test/a.ts' }, 'no such file: test/a.ts', {
          result: { text: 'no such file: test/a.ts', isError: true },
        }),
        call(
          'edit-1',
          'edit_file',
          {
            path: 'src/index.ts',
            old_text: 'const a = 1;\nconst b = 2;',
            new_text: 'const a = 1;\nconst b = 3;\nconst c = 4;',
          },
          '{"replaced":1,"path":"src/index.ts","lines":{"first":12,"last":14,"more":{"deep":true}}}',
        ),
      ],
    }),
    { kind: 'message', from: 'operator', at, text: { text: 'ada: Use the archive.' } },
    turn(2, { text: [{ text: markdown }], attempts: 3 }),
    { kind: 'handoff', at, text: 'Handoff 1 after turn 2: 58k tokens became 640 in HANDOFF.md (91 : 1)' },
    turn(3, { replaced: 1, text: [{ text: 'This turn was taken back.' }] }),
    { kind: 'reset', at, text: 'Reset to before turn 3 by ada: the archive was wrong' },
    turn(3, { stopReason: 'outputLimit' }),
    { kind: 'decision', at, text: 'i1 (Model.RateLimited): retry by ada, the quota is back' },
    turn(4, { stopReason: 'done', text: [{ text: 'The licence is MIT.' }] }),
  ];
}
