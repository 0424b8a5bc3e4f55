import type { Client } from '@temporalio/client';
import { readRecordedAgent } from '../../../client/agent/history';
import { queryAgentStatus } from '../../../client/agent/outcome';
import { BatonError, missingRun } from '../../../client/client-errors';
import type { ConversationEntry, ConversationPage, ConversationText } from '../../../client/conversation/conversation';
import { Conversations } from '../../../client/conversation/conversations';
import { readTree } from '../../../client/delegation/read-tree';
import { everyNode } from '../../../client/delegation/agent-tree';
import { everyStoredAgent, findStoredAgent, readStoredRun, type StoredRun } from '../../../client/record/stored-run';
import { SharedRead } from '../../../client/record/shared-read';
import { StoredFactsReader } from '../../../client/record/stored-facts';
import { storedArtifacts, type StoredRootEnd, storedWorkspace } from '../../../client/record/stored-views';
import { FiguresReader, type RunFigures } from '../../../client/spending/run-figures';
import { pathOf } from '../../../client/view/reduce-event';
import type { ViewSources } from '../../../client/view/watch-run';
import { queriedFiles } from '../../../client/workspace/run-files';
import type { StatusSnapshot } from '../../../domain/agent';
import { noFigures } from '../../../domain/budget';
import { handoffThreshold } from '../../../domain/handoff';
import { runWorkflowId } from '../../../domain/kernel';
import { type BlobRef, mediaTypes, type RunStore } from '../../../domain/store';
import type {
  AgentBudgetView,
  ArtifactsView,
  EventsView,
  FilesView,
  PromptView,
  SearchFrame,
} from '../../../page/protocol';
import { readStoredRoot } from '../../../store/run-record';
import { whyNotServer } from '../../from-store';
import type { EntryRange } from '../page-source';
import { readArtifactsView } from './artifacts-tab';
import { budgetView } from './budget-tab';
import { EventLog, type RunEvents } from './event-log';
import { readFilesView } from './files-tab';
import { PromptViews } from './prompt-tab';
import { ReadOnceEvents } from './read-once-events';
import { searchTexts } from './search';
import { Writings } from './writings';

const queryMs = 5_000;
/** For how long nobody is queried after a query that no worker answered. */
const unansweredMs = 10_000;
/** For how long the figures of a run are good enough. */
const figuresMs = 500;
const noEvents: EventsView = { events: [], before: null };
const nothing = { own: noFigures, withDelegations: noFigures };

interface StoredAndFacts {
  readonly run: StoredRun;
  readonly facts: StoredFactsReader;
}

/** Reads what the page shows about one run, from the server or, if that no longer has it, from the store. */
export class RunReader {
  private readonly conversations: Conversations | undefined;
  /** The events of a run that is read once. */
  private readonly once: ReadOnceEvents | undefined;
  private readonly log: RunEvents | undefined;
  /**
   * What the root of a run that is read once says about itself. It is asked at once: without a worker, it
   * takes seconds until nobody has answered, and the run can be read meanwhile.
   */
  readonly rootStatus: Promise<StatusSnapshot | undefined> | undefined;
  /** What takes over what is read of the run as a whole. */
  readonly listeners: Pick<ViewSources, 'onRead' | 'onEntry'> = {};
  /** Reads what the agents consumed. */
  readonly figures: FiguresReader | undefined;
  private lastFigures: { readonly at: number; readonly read: Promise<RunFigures | undefined> } | undefined;
  /** The run as the store has it, which is read for every agent of a report. */
  private readonly stored: SharedRead<StoredAndFacts | undefined>;
  /** Its root alone. */
  private readonly storedRoot: SharedRead<Awaited<ReturnType<typeof readStoredRoot>>>;
  /** Agents whose texts have these hashes, and blobs that were named, so that they can be asked for by hash alone. */
  private readonly texts = new Map<string, string | BlobRef>();
  /** Prompts of agents whose conversations were read from the beginning. */
  private readonly prompts = new Map<string, BlobRef>();
  private promptViews: PromptViews | undefined;
  /** Until when no agent is queried, because no worker answered. */
  private unansweredUntil = 0;

  constructor(
    /** Null when no server can be reached: then only the store is read. */
    private readonly client: Client | null,
    readonly store: RunStore | undefined,
    private readonly runId: string,
    /** Whether the run is read once, so that what was read of an agent that has ended is good enough. */
    private readonly isReadOnce = false,
  ) {
    this.once = isReadOnce ? new ReadOnceEvents(runId, store) : undefined;
    this.conversations = store && new Conversations(store, client, this.once?.agents);
    this.stored = new SharedRead(async () => {
      const run = store && (await readStoredRun(store));
      return run && { run, facts: new StoredFactsReader(run) };
    });
    this.storedRoot = new SharedRead(() => (store === undefined ? Promise.resolve(undefined) : readStoredRoot(store)));
    if (client === null) return;
    const log = this.once ?? new EventLog(client, runId, store);
    this.log = log;
    this.listeners = log instanceof EventLog ? { onRead: log.begin.bind(log) } : { onEntry: log.note.bind(log) };
    if (this.once !== undefined) this.rootStatus = queryAgentStatus(client, this.idOf(''), queryMs);
    this.figures = new FiguresReader({ client, openStore: store && (() => Promise.resolve(store)) });
  }

  async entries(agent: string, range: EntryRange): Promise<ConversationPage> {
    const page = await this.talk().read(this.idOf(agent), range);
    if (range.after === -1 && page.prompt !== null)
      this.prompts.set(agent, { ...page.prompt, mediaType: mediaTypes.markdown });
    for (const { whole } of page.entries.flatMap(textsOf)) {
      if (whole !== undefined) this.texts.set(whole.hash, agent);
    }
    return page;
  }

  speaking(agent: string): ReturnType<Conversations['speaking']> {
    return this.conversations?.speaking(this.idOf(agent)) ?? Promise.resolve(null);
  }

  async blob(hash: string, bytes: number | undefined): Promise<Uint8Array> {
    const known = this.texts.get(hash);
    if (typeof known === 'string') {
      const text = await this.talk().text(this.idOf(known), hash);
      if (text !== undefined) return Buffer.from(text, 'utf8');
    }
    const ref =
      typeof known === 'object' ? known : bytes === undefined ? undefined : { hash, bytes, mediaType: mediaTypes.text };
    if (ref === undefined || this.store === undefined)
      throw new BatonError('Client.NotFound', `Run ${this.runId} has no text with this hash.`);
    return this.store.get(ref, 'page');
  }

  async prompt(agent: string): Promise<PromptView> {
    this.promptViews ??= new PromptViews(this.opened());
    const ref =
      this.prompts.get(agent) ??
      (await this.read(
        async (client) => (await readRecordedAgent(client, this.idOf(agent))).opened?.prompt,
        (run) => findStoredAgent(run, this.idOf(agent)).opened.prompt,
      ));
    if (ref == null) throw new BatonError('Client.NotFound', 'This agent has no prompt yet.');
    const parent = agent === '' ? null : agent.slice(0, Math.max(0, agent.lastIndexOf('/')));
    return this.promptViews.read(ref, parent);
  }

  async files(agent: string): Promise<FilesView> {
    const workspace = await this.readFiles(
      (client) => queriedFiles.workspaceOf(client, this.runId),
      storedWorkspace,
    ).catch((error: unknown) => {
      if (error instanceof BatonError && error.type === 'Client.NoWorkspace') return undefined;
      throw error;
    });
    if (workspace === undefined) return { files: [] };
    return readFilesView(this.opened(), workspace, (await this.writings()).files, agent);
  }

  async artifacts(): Promise<ArtifactsView> {
    const artifacts = await this.readFiles((client) => queriedFiles.artifactsOf(client, this.runId), storedArtifacts);
    for (const { ref } of artifacts) this.texts.set(ref.hash, ref);
    return readArtifactsView(this.store, artifacts, await this.writings());
  }

  async budget(agent: string): Promise<AgentBudgetView> {
    const id = this.idOf(agent);
    const figures = await this.read(
      async (client) => (await this.recentFigures(client))?.of(id) ?? nothing,
      async (run, facts) => (await facts.of(findStoredAgent(run, id))).figures,
    );
    const snapshot = await this.read(
      (client) => this.statusOf(client, id),
      async (run, facts) => (await facts.of(findStoredAgent(run, id))).snapshot,
    );
    const settings = (await this.storedRoot.get().catch(() => undefined))?.root.settings;
    const window = snapshot?.window ?? 0;
    const handoffAt =
      settings === undefined ? null : handoffThreshold({ ...settings, model: { ...settings.model, window } });
    const { deadline } = settings ?? {};
    return budgetView(figures, snapshot, { deadline: deadline === undefined ? null : Date.parse(deadline), handoffAt });
  }

  /** Queries an agent. If no worker answers for one, the others are not asked for a while. */
  private async statusOf(client: Client, workflowId: string): Promise<StatusSnapshot | undefined> {
    if (this.rootStatus !== undefined) {
      const root = await this.rootStatus;
      if (root === undefined || workflowId === this.idOf('')) return root;
    }
    if (Date.now() < this.unansweredUntil) return undefined;
    const status = await queryAgentStatus(client, workflowId, queryMs);
    if (status === undefined) this.unansweredUntil = Date.now() + unansweredMs;
    return status;
  }

  /** Reads what all agents consumed, but not for each of hundreds of agents that are looked at in a row. */
  private recentFigures(client: Client): Promise<RunFigures | undefined> {
    const { lastFigures } = this;
    if (lastFigures !== undefined && (this.isReadOnce || Date.now() - lastFigures.at < figuresMs))
      return lastFigures.read;
    const read = this.figures?.read(() => readTree(client, this.idOf(''))) ?? Promise.resolve(undefined);
    this.lastFigures = { at: Date.now(), read };
    // A failed read is repeated at the next look.
    read.catch(() => (this.lastFigures = undefined));
    return read;
  }

  eventPage(agent: string, before: string | null, limit: number): Promise<EventsView> {
    return this.read(
      async () => (await this.log?.page(agent, before, limit)) ?? noEvents,
      () => noEvents,
    );
  }

  /** Lets go of what was read of an agent. */
  forget(agent: string): void {
    this.prompts.delete(agent);
    this.conversations?.forget(this.idOf(agent));
    // Whether the root has ended is asked again.
    if (agent !== '') this.once?.agents.forget(this.idOf(agent));
  }

  async *search(text: string, signal: AbortSignal): AsyncGenerator<SearchFrame, void, undefined> {
    const ids = await this.read(
      async (client) => everyNode(await readTree(client, this.idOf(''))).map(({ execution }) => execution.workflowId),
      (run) => everyStoredAgent(run.root).map(({ workflowId }) => workflowId),
    );
    const agents = ids.map((workflowId) => ({ workflowId, path: pathOf(workflowId) }));
    yield* searchTexts(this.talk(), agents, text, signal);
  }

  /** Reads from the server. If that no longer has the run, or can't be reached, reads from the store. */
  async read<T>(
    server: (client: Client) => Promise<T>,
    stored: (run: StoredRun, facts: StoredFactsReader) => T | Promise<T>,
  ): Promise<T> {
    try {
      if (this.client === null) throw missingRun(this.runId);
      return await server(this.client);
    } catch (error) {
      const isElsewhere = whyNotServer(error, this.idOf('')) !== undefined;
      const found = isElsewhere ? await this.stored.get() : undefined;
      if (found === undefined) throw error;
      return stored(found.run, found.facts);
    }
  }

  /** Reads what a run that has ended left from the store, if the run is read once: no worker has to answer then. */
  private async readFiles<T>(server: (client: Client) => Promise<T>, stored: (end: StoredRootEnd) => T): Promise<T> {
    const { store, once } = this;
    const found = once?.agents.hasEnded(this.idOf('')) === true ? await this.storedRoot.get() : undefined;
    if (store === undefined || found?.ending == null) return this.read(server, stored);
    return stored({ store, record: found.root, root: { ended: { record: found.ending } } });
  }

  private async writings(): Promise<Writings> {
    return this.read(
      async () => (await this.log?.writings()) ?? new Writings(),
      () => new Writings(),
    );
  }

  private idOf(agent: string): string {
    const root = runWorkflowId(this.runId);
    return agent === '' ? root : `${root}/${agent}`;
  }

  private talk(): Conversations {
    if (this.conversations !== undefined) return this.conversations;
    throw noStore();
  }

  private opened(): RunStore {
    if (this.store !== undefined) return this.store;
    throw noStore();
  }
}

function noStore(): BatonError {
  return new BatonError(
    'Client.NotFound',
    'The texts of this run are in a store that this machine does not have.',
    'Set BATON_STORE to the store that its workers use.',
  );
}

function textsOf(entry: ConversationEntry): readonly ConversationText[] {
  if (entry.kind === 'message') return [entry.text];
  if (entry.kind !== 'turn') return [];
  const calls = entry.calls.flatMap(({ arguments: given, result }) => (result === null ? [given] : [given, result]));
  return [...entry.thinking, ...entry.text, ...calls];
}
