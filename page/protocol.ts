// What the page asks of `baton ui` and what it gets: paths below /api/, all JSON. The header `Authorization: Bearer <key>`
// is required everywhere. A recorded page (`baton report`) has the same values inside instead of a server.
import type { ConversationEntry, ConversationPage, PartialReply } from '../client/conversation/conversation';
import type { AgentChange, Figures, RunRow, RunView, ViewIncident } from '../client/view/run-view';

export type { AgentChange } from '../client/view/run-view';

/** `GET /api/hello`. */
export interface Hello {
  readonly version: string;
  /** Identifies the process of the server: numbers of frames are only comparable within one. */
  readonly epoch: string;
  /** Address of the Temporal server; empty while none answers. */
  readonly address: string;
  readonly namespace: string;
  /** Name under which decisions are recorded. */
  readonly user: string;
  /** Address of Temporal's Web UI; null when unknown. */
  readonly webUi: string | null;
  readonly readOnly: boolean;
  /** The server's clock, milliseconds since 1970. */
  readonly now: number;
}

/** `GET /api/runs?state=&q=&before=&limit=50`. `before` is `next` of the page before. */
export interface RunList {
  readonly runs: readonly RunRow[];
  readonly counts: Readonly<Record<'all' | 'needs you' | 'running' | 'failed' | 'done', number>>;
  readonly next: string | null;
  /** Sentences about what is missing, such as the server. */
  readonly gaps: RunView['gaps'];
}

/** `GET /api/runs/:run`. */
export interface RunSnapshot extends RunView {
  /** Frames after this one continue from here. */
  readonly seq: number;
}

/** `GET /api/runs/:run/entries?agent=<path>&before=<position>&after=<position>&limit=50`. Without both: the newest. */
export type EntriesPage = ConversationPage;

/** `GET /api/runs/:run/prompt?agent=<path>`: the bytes as they were sent, cut into sections. */
export interface PromptView {
  readonly hash: string;
  readonly bytes: number;
  readonly isIntact: boolean;
  readonly sections: readonly {
    readonly id: string;
    readonly title: string;
    readonly level: number;
    readonly text: string;
    /** Set when the section is the embedded prompt of the parent, which is folded. */
    readonly parent?: { readonly path: string; readonly bytes: number };
  }[];
}

/** `GET /api/runs/:run/files?agent=<path>`: files that the run changed, with hunks. */
export interface FilesView {
  readonly files: readonly {
    readonly path: string;
    readonly change: 'added' | 'changed' | 'deleted';
    readonly added: number;
    readonly removed: number;
    /** What the file does without being asked; null for an ordinary file. */
    readonly runs: string | null;
    /** Agents and turns that changed it, in order. */
    readonly writers: readonly { readonly path: string; readonly turn: number | null }[];
    /** Changes that another writer's replaced. */
    readonly lost: number;
    /** Null for binary files. */
    readonly hunks:
      readonly { readonly oldStart: number; readonly newStart: number; readonly lines: readonly string[] }[] | null;
  }[];
}

/** `GET /api/runs/:run/artifacts`. */
export interface ArtifactsView {
  readonly artifacts: readonly {
    readonly name: string;
    readonly path: string | null;
    readonly turn: number | null;
    readonly bytes: number | null;
    readonly hash: string | null;
    readonly mediaType: string | null;
    /** Whether a delegation was asked to write it. */
    readonly isExpected: boolean;
    /** Null when it is missing, too large or not text. */
    readonly text: string | null;
  }[];
}

/** `GET /api/runs/:run/budget?agent=<path>`. */
export interface AgentBudgetView {
  readonly own: Figures;
  readonly below: Figures;
  readonly held: Figures;
  readonly limits: { readonly microUsd: number | null; readonly tokens: number | null; readonly turns: number | null };
  readonly deadline: number | null;
  readonly window: { readonly occupied: number; readonly size: number; readonly handoffAt: number | null } | null;
  readonly injectedTokens: number | null;
  readonly readTokens: number | null;
}

/** `GET /api/runs/:run/events?agent=<path>&before=&limit=200`: words as `baton tail` prints them. */
export interface EventsView {
  readonly events: readonly {
    readonly at: string;
    readonly path: string;
    readonly kind: string;
    readonly words: string;
    readonly json: unknown;
  }[];
  readonly before: string | null;
}

/** `GET /api/runs/:run/why?agent=<path>`. */
export interface WhyView {
  readonly verdict: string;
  readonly message: string;
  readonly remedy: string | null;
  readonly commands: readonly string[];
  readonly remarks: readonly string[];
}

/** `GET /api/runs/:run/search?q=`: hits in the texts of all agents, as they are found; NDJSON, one `SearchFrame` a line. */
export type SearchFrame =
  | { readonly hit: { readonly path: string; readonly turn: number | null; readonly line: string } }
  | { readonly searched: number; readonly of: number; readonly done: boolean };

/** `GET /api/attention`: for the title of hidden tabs. */
export interface Attention {
  readonly count: number;
  readonly oldest: number | null;
  /** First the oldest, at most 100. */
  readonly incidents: readonly {
    readonly runId: string;
    readonly path: string;
    readonly id: string;
    readonly since: number;
  }[];
}

/** `POST /api/runs/:run/{decide,pause,resume,steer,cancel}`, body: `{agent, …}`. An answer of 200 has the record. */
export type CommandAnswer = { readonly record: unknown } | { readonly refused: string };

/**
 * `GET /api/stream?run=&focus=&after=<epoch>.<seq>`, or `GET /api/stream?state=&q=&limit=50` for the list of runs:
 * server-sent events; the name is `frame.kind`, the data the frame.
 */
export type Frame =
  | { readonly kind: 'hello'; readonly epoch: string; readonly seq: number; readonly now: number }
  | { readonly kind: 'rows'; readonly seq: number; readonly rows: readonly AgentChange[] }
  /**
   * The run that is followed, with what else has changed about it. In the list: a new or changed row, also of a run that
   * was in the list and no longer matches.
   */
  | ({ readonly kind: 'run'; readonly seq: number; readonly run: RunRow } & Partial<
      Pick<RunView, 'relay' | 'budget' | 'gaps'>
    >)
  /** How many runs there are, and what is missing. Only in the list. */
  | ({ readonly kind: 'counts' } & Pick<RunList, 'counts' | 'gaps'>)
  | { readonly kind: 'incidents'; readonly seq: number; readonly incidents: readonly ViewIncident[] }
  /**
   * Only of the agent in focus: first its newest entries, then those that are new or have changed. Entries replace those
   * with the same position. A page that misses positions before them asks for those.
   */
  | {
      readonly kind: 'entries';
      readonly seq: number;
      readonly agent: string;
      readonly entries: readonly ConversationEntry[];
      readonly total: number;
    }
  /** Only of the agent in focus; not numbered, because it is a picture and not a record. */
  | { readonly kind: 'speaking'; readonly agent: string; readonly reply: PartialReply | null }
  | { readonly kind: 'ping'; readonly now: number }
  /** The page must load the run again. */
  | { readonly kind: 'reset'; readonly why: string };

/** An answer with status 4xx or 5xx. */
export interface ApiError {
  readonly type: string;
  readonly message: string;
  readonly remedy: string | null;
}

/** The data inside a recorded page: what the server would answer, by path of the request without `/api/`. */
export interface Recording {
  readonly recordedAt: number;
  readonly hello: Hello;
  readonly run: RunView;
  /** Gzipped JSON in base64, by path of the agent: what is asked for when an agent is opened. */
  readonly agents: Readonly<Record<string, string>>;
  readonly files: FilesView;
  readonly artifacts: ArtifactsView;
}

/** The unpacked data of one agent of a recording. */
export interface RecordedPageAgent {
  readonly entries: ConversationPage;
  readonly prompt: PromptView | null;
  readonly budget: AgentBudgetView | null;
  readonly events: EventsView;
}
