import { gzipSync } from 'node:zlib';
import type { ConversationEntry, ConversationPage, ConversationText } from '../../client/conversation/conversation';
import type { AgentRow, RunView } from '../../client/view/run-view';
import { forEachWithLimit } from '../../domain/kernel';
import type { Hello, PromptView, RecordedPageAgent } from '../../page/protocol';
import type { PageSource } from '../ui/page-source';
import type { RecordedRun } from './recorded-page';

/** Bytes of texts that a recording has. Beyond it, long texts are given by their beginning, and prompts are left out. */
const maxTextBytes = 20 * 1024 * 1024;
/** Agents that are asked about their budget, which takes a worker's answer for each. */
const maxAsked = 250;
const concurrentAgents = 8;
const pageLength = 200;
const maxEvents = 1_000;
/** Bytes that are taken at a time for what is packed. Most agents need less, and what is taken has to be cleared again. */
const chunkSize = 4 * 1024;

/** Is given the data of an agent: gzipped JSON in base64. */
type WriteAgent = (path: string, packed: string) => Promise<void>;

/**
 * Records a run as the page would show it now, from whatever the page could read it from. The data of each agent is
 * written as soon as it is read, because all together may not fit in memory.
 */
export async function recordRun(
  source: PageSource,
  runId: string,
  { version }: Pick<Hello, 'version'>,
  writeAgent: WriteAgent,
  maxBytes = maxTextBytes,
): Promise<RecordedRun> {
  const view = await readView(source, runId);
  const recorder = new Recorder(source, runId, maxBytes);
  // At the same time, because some of it may have to wait for a worker.
  const [, files, artifacts] = await Promise.all([
    recorder.agents(view.agents, writeAgent),
    source.files(runId, '').catch(recorder.missing('changed files', { files: [] })),
    source.artifacts(runId).catch(recorder.missing('artifacts', { artifacts: [] })),
  ]);
  const now = Date.now();
  return {
    recordedAt: now,
    hello: { ...source.about(), version, epoch: 'recorded', readOnly: true, now },
    run: { ...view, gaps: [...view.gaps, ...recorder.gaps()] },
    files,
    artifacts,
  };
}

/** Reads a run once. */
function readView(source: PageSource, runId: string): Promise<RunView> {
  const stop = new AbortController();
  return new Promise((resolve, reject) => {
    const begin = (view: RunView): void => {
      resolve(view);
      stop.abort();
    };
    source.follow(runId, { begin, change: () => undefined }, stop.signal).then(() => {
      reject(new Error('The run could not be read.'));
    }, reject);
  });
}

/** Reads the agents of a run one by one, and counts what it takes. */
class Recorder {
  private bytes = 0;
  private shortened = 0;
  private readonly missed = new Map<string, string>();

  constructor(
    private readonly source: PageSource,
    private readonly runId: string,
    private readonly maxBytes: number,
  ) {}

  async agents(rows: readonly AgentRow[], write: WriteAgent): Promise<void> {
    // What people look for first gets the room: the root, then what needs attention.
    const [root, ...others] = rows;
    if (root === undefined) return;
    await write(root.path, await this.packed(root.path, true));
    const inOrder = others.sort((a, b) => interest(b) - interest(a));
    await forEachWithLimit(inOrder.entries(), concurrentAgents, async ([index, { path }]) => {
      await write(path, await this.packed(path, index + 1 < maxAsked));
    });
  }

  /** Packs at once: most agents are small, and handing one over to another thread takes longer. */
  private async packed(path: string, isAsked: boolean): Promise<string> {
    const agent = await this.agent(path, isAsked);
    this.source.forget?.(this.runId, path);
    return gzipSync(JSON.stringify(agent), { chunkSize }).toString('base64');
  }

  /** What the recording lacks, one sentence each. */
  gaps(): readonly string[] {
    const mebibytes = Math.round(this.maxBytes / 1024 / 1024);
    return [
      ...(this.shortened === 0
        ? []
        : [`${this.shortened} texts are not whole here, because all texts together have more than ${mebibytes} MiB.`]),
      ...[...this.missed].map(([what, reason]) => `Some ${what} can’t be read: ${reason}`),
    ];
  }

  /** Notes what can't be read, and returns this instead. */
  missing<T>(what: string, instead: T): (error: unknown) => T {
    return (error) => {
      this.missed.set(what, error instanceof Error ? error.message : String(error));
      return instead;
    };
  }

  private async agent(path: string, isAsked: boolean): Promise<RecordedPageAgent> {
    const { source, runId } = this;
    const none = { events: [], before: null };
    return {
      entries: await this.conversation(path),
      prompt: await this.prompt(path),
      budget: isAsked ? await source.budget(runId, path).catch(this.missing('budgets', null)) : null,
      events: await source.events(runId, path, null, maxEvents).catch(this.missing('events', none)),
    };
  }

  private async prompt(path: string): Promise<PromptView | null> {
    const prompt = await this.source.prompt(this.runId, path).catch(this.missing('prompts', null));
    return prompt === null || this.takes(prompt.bytes) ? prompt : null;
  }

  private async conversation(path: string): Promise<ConversationPage> {
    const nothing = { agent: path, prompt: null, entries: [], total: 0, speaking: null };
    const entries: ConversationEntry[] = [];
    let first: ConversationPage | undefined;
    for (let after = -1; ; after = entries.at(-1)?.position ?? after) {
      const page = await this.source
        .entries(this.runId, path, { after, limit: pageLength })
        .catch(this.missing('conversations', nothing));
      first ??= page;
      for (const entry of page.entries) entries.push(await this.whole(entry));
      if (page.entries.length < pageLength) break;
    }
    return { ...first, entries, total: entries.length, speaking: null };
  }

  /** Replaces beginnings by whole texts, while there is room. */
  private async whole(entry: ConversationEntry): Promise<ConversationEntry> {
    if (entry.kind === 'message') return { ...entry, text: await this.text(entry.text) };
    if (entry.kind !== 'turn') return entry;
    const texts = (all: readonly ConversationText[]): Promise<ConversationText[]> =>
      Promise.all(all.map((text) => this.text(text)));
    const calls = entry.calls.map(async (call) => ({
      ...call,
      arguments: await this.text(call.arguments),
      result: call.result && { ...(await this.text(call.result)), isError: call.result.isError },
    }));
    return {
      ...entry,
      thinking: await texts(entry.thinking),
      text: await texts(entry.text),
      calls: await Promise.all(calls),
    };
  }

  private async text({ text, whole }: ConversationText): Promise<ConversationText> {
    if (whole === undefined) {
      this.bytes += text.length;
      return { text };
    }
    if (!this.takes(whole.bytes)) return { text, whole };
    const bytes = await this.source
      .blob(this.runId, whole.hash, whole.bytes)
      .catch(this.missing<Uint8Array | undefined>('texts', undefined));
    return bytes === undefined ? { text, whole } : { text: Buffer.from(bytes).toString('utf8') };
  }

  private takes(bytes: number): boolean {
    if (this.bytes + bytes > this.maxBytes) {
      this.shortened += 1;
      return false;
    }
    this.bytes += bytes;
    return true;
  }
}

function interest({ state }: AgentRow): number {
  return state === 'failed' || state === 'needs you' ? 2 : Number(state !== 'completed');
}
