/** Where a system finds what it needs, on loopback. */
export interface Place {
  /** The scripted model: base URLs of the Messages API and of the Chat Completions API. */
  readonly model: { readonly messages: string; readonly chat: string; readonly name: string };
  /** Folder for what the system stores in files, and for the counters of the tool. */
  readonly folder: string;
  /** The Temporal server. */
  readonly temporal: string;
  /** A database of PostgreSQL, if the system uses one. */
  readonly postgres?: string;
  /** The server of Restate, and the port at which it calls the working process. */
  readonly restate?: { readonly ingress: string; readonly admin: string; readonly port: number };
}

/** What is compared: everything that runs agents. Each is opened in a process of its own, which may be killed. */
export interface System {
  /** Runs one agent with this goal until it answers. */
  run(id: string, goal: string): Promise<void>;
  /** Runs this many children of one parent to their end, as the system's users would. */
  delegate(id: string, children: number): Promise<void>;
  /**
   * Waits for the end of a run that an earlier process began. A system that does not continue by itself is asked to,
   * here.
   */
  finish(id: string, goal: string): Promise<void>;
  /** Bytes that are stored for a run, by where they are. */
  stored(id: string): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** What the file of a system exports. */
export interface SystemModule {
  open(place: Place): Promise<System>;
}
