import type { ConversationPage, PartialReply } from '../../client/conversation/conversation';
import type { RunSink } from '../../client/view/run-view';
import type {
  AgentBudgetView,
  ArtifactsView,
  Attention,
  EventsView,
  FilesView,
  Hello,
  PromptView,
  RunList,
  SearchFrame,
  WhyView,
} from '../../page/protocol';

/** Which runs a list should have. */
export interface RunsQuery {
  readonly state: string | null;
  /** Text that the goal, title or id contains. */
  readonly q: string | null;
  readonly before: string | null;
  readonly limit: number;
  /** Ids of runs that are added even if they don't match, because a page shows them. */
  readonly also?: ReadonlySet<string>;
}

/** Which entries of a conversation to read, by position. Without both bounds: the newest. */
export interface EntryRange {
  readonly before?: number;
  readonly after?: number;
  readonly limit: number;
}

/** A request to an agent, after the path of a POST. `body` is parsed JSON that has not been checked. */
export interface PageCommand {
  readonly name: 'decide' | 'pause' | 'resume' | 'steer' | 'cancel';
  readonly body: Readonly<Record<string, unknown>>;
}

/** Everything that the page's server knows about runs. Agents are named by their path, which is empty for the root. */
export interface PageSource {
  about(): Pick<Hello, 'address' | 'namespace' | 'user' | 'webUi'>;
  runs(query: RunsQuery): Promise<RunList>;
  attention(): Promise<Attention>;
  /**
   * Gives a run to the sink until the signal aborts, then resolves. Rejects only before `begin`, if the run can't be
   * read at all; a source that is lost later is reported as a gap, and read on when it is back.
   */
  follow(runId: string, sink: RunSink, signal: AbortSignal): Promise<void>;
  entries(runId: string, agent: string, range: EntryRange): Promise<ConversationPage>;
  speaking(runId: string, agent: string): Promise<PartialReply | null>;
  /**
   * Reads a stored text or file of the run by its hash. Its size may be omitted for what this source has given the hash
   * of. Rejects if the run has no such text.
   */
  blob(runId: string, hash: string, bytes?: number): Promise<Uint8Array>;
  prompt(runId: string, agent: string): Promise<PromptView>;
  files(runId: string, agent: string): Promise<FilesView>;
  artifacts(runId: string): Promise<ArtifactsView>;
  budget(runId: string, agent: string): Promise<AgentBudgetView>;
  events(runId: string, agent: string, before: string | null, limit: number): Promise<EventsView>;
  /** Lets go of what was read of an agent. It is read again if it is asked for again. Optional. */
  forget?(runId: string, agent: string): void;
  why(runId: string, agent: string): Promise<WhyView>;
  search(runId: string, text: string, signal: AbortSignal): AsyncIterable<SearchFrame>;
  /** Carries a command out and returns the record. Rejects with a `BatonError` if the agent refuses. */
  command(runId: string, command: PageCommand): Promise<unknown>;
}
