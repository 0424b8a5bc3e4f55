import { createHash } from 'node:crypto';
import { BatonError } from '../../../client/client-errors';
import type { PartialReply } from '../../../client/conversation/conversation';
import { applyChange } from '../../../client/view/changes';
import { countStates } from '../../../client/view/run-row';
import type { AgentChange, AgentRow, RunSink, RunUpdate, RunView, ViewIncident } from '../../../client/view/run-view';
import type { PageCommand, PageSource } from '../../../cli/ui/page-source';
import type { FilesView, RunList, SearchFrame } from '../../../page/protocol';
import { figures, generateEntries, type GeneratedOptions, generateRun } from './generated-run';

/** A source of generated runs. Tests push changes into it, and see which commands arrived. */
export class GeneratedSource implements PageSource {
  /** Commands that were carried out or refused, in order. */
  readonly commands: (PageCommand & { readonly runId: string })[] = [];
  /** Number of times that a run was begun to be followed. */
  followed = 0;
  /** What agents answer instead of carrying commands out. */
  refusal: string | undefined;
  /** What the agent at this path is saying. */
  readonly spoken = new Map<string, PartialReply>();
  private readonly runsById = new Map<string, RunView>();
  private readonly sinks = new Map<string, Set<RunSink>>();

  constructor(private readonly options: readonly GeneratedOptions[]) {
    for (const each of options) {
      const view = generateRun(each);
      this.runsById.set(view.run.runId, view);
    }
  }

  about(): ReturnType<PageSource['about']> {
    return { address: '127.0.0.1:7233', namespace: 'default', user: 'ada', webUi: 'http://127.0.0.1:8233' };
  }

  runs({ q, state, also }: Parameters<PageSource['runs']>[0]): Promise<RunList> {
    const all = [...this.runsById.values()].map(({ run }) => run).sort((a, b) => b.startedAt - a.startedAt);
    const count = (wanted: string): number => all.filter((run) => run.state === wanted).length;
    const runs = all.filter(
      (run) =>
        also?.has(run.runId) === true ||
        ((q === null || run.goal.includes(q) || run.runId.includes(q)) && (state === null || run.state === state)),
    );
    const counts = {
      all: all.length,
      'needs you': count('needs you'),
      running: count('running') + count('waiting'),
      failed: count('failed'),
      done: count('completed'),
    };
    return Promise.resolve({ runs, counts, next: null, gaps: [] });
  }

  attention(): ReturnType<PageSource['attention']> {
    const incidents = [...this.runsById.values()].flatMap(({ run, incidents: open }) =>
      open.map(({ path, id, since }) => ({ runId: run.runId, path, id, since: Date.parse(since) })),
    );
    const oldest = incidents.length === 0 ? null : Math.min(...incidents.map(({ since }) => since));
    return Promise.resolve({ count: incidents.length, oldest, incidents: incidents.slice(0, 100) });
  }

  async follow(runId: string, sink: RunSink, signal: AbortSignal): Promise<void> {
    sink.begin(this.view(runId));
    this.followed += 1;
    const sinks = this.sinks.get(runId) ?? new Set();
    this.sinks.set(runId, sinks.add(sink));
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    sinks.delete(sink);
  }

  /** Changes a run, as its agents would. */
  push(runId: string, update: Partial<RunUpdate>): void {
    const view = this.view(runId);
    const rows = new Map<string, AgentRow>(view.agents.map((row) => [row.path, row]));
    for (const change of update.rows ?? []) rows.set(change.path, applyChange(rows.get(change.path), change));
    const { rows: _rows, touched: _touched, ...rest } = update;
    const agents = [...rows.values()];
    const run = { ...view.run, ...rest.run, agents: countStates(agents) };
    this.runsById.set(runId, { ...view, ...rest, agents, run });
    const touched = update.touched ?? (update.rows ?? []).map(({ path }) => path);
    for (const sink of this.sinks.get(runId) ?? [])
      sink.change({ ...update, rows: update.rows ?? [], touched, ...(update.rows === undefined ? {} : { run }) });
  }

  /** Adds a run that starts now. */
  start(options: GeneratedOptions): void {
    const view = generateRun(options);
    this.runsById.set(view.run.runId, { ...view, run: { ...view.run, startedAt: Date.now() } });
  }

  /** Lets an agent take further turns. */
  addTurns(runId: string, path: string, count = 1): void {
    const { turn } = this.row(runId, path);
    this.push(runId, { rows: [{ path, turn: turn + count, own: figures(turn + count) }], touched: [path] });
  }

  /** Ends agents that are at work. */
  complete(runId: string, paths: readonly string[], at = Date.now()): void {
    this.push(runId, { rows: paths.map((path) => ({ path, state: 'completed', detail: '', endedAt: at })) });
  }

  /** Opens an incident. */
  raise(runId: string, incident: Partial<ViewIncident> & { readonly path: string }): void {
    const open: ViewIncident = {
      id: 'i1',
      kind: 'failure',
      type: 'Model.RateLimited',
      message: '429 too many requests, asked to wait 40 s',
      since: new Date().toISOString(),
      attempt: 1,
      step: 'turn 2',
      delegation: null,
      tool: null,
      alike: 0,
      ...incident,
    };
    this.setIncidents(
      runId,
      [...this.view(runId).incidents, open],
      [{ path: open.path, state: 'needs you', detail: open.type }],
    );
  }

  private setIncidents(runId: string, incidents: readonly ViewIncident[], rows: readonly AgentChange[]): void {
    const { run } = this.view(runId);
    const [oldest] = incidents;
    const waiting = oldest === undefined ? null : { incidents: incidents.length, since: Date.parse(oldest.since) };
    const state = oldest === undefined ? 'running' : 'needs you';
    this.push(runId, { incidents, rows, run: { ...run, state, waiting } });
  }

  entries(
    runId: string,
    agent: string,
    { before, after, limit }: Parameters<PageSource['entries']>[2],
  ): ReturnType<PageSource['entries']> {
    const row = this.row(runId, agent);
    const all = generateEntries(row, this.hostileOf(runId));
    const some = all.filter(({ position }) => position < (before ?? Infinity) && position > (after ?? -1));
    const entries = after === undefined ? some.slice(-limit) : some.slice(0, limit);
    const workflowId = `run/${runId}${agent === '' ? '' : `/${agent}`}`;
    return Promise.resolve({ agent: workflowId, prompt: null, entries, total: all.length, speaking: null });
  }

  speaking(runId: string, agent: string): Promise<PartialReply | null> {
    return Promise.resolve(this.spoken.get(`${runId}/${agent}`) ?? null);
  }

  blob(runId: string, hash: string): Promise<Uint8Array> {
    const text = wholeText(runId);
    if (sha256(text) === hash) return Promise.resolve(Buffer.from(text));
    return Promise.reject(new BatonError('Client.NotFound', `Run ${runId} has no text ${hash}.`));
  }

  prompt(runId: string, agent: string): ReturnType<PageSource['prompt']> {
    const text = `# Delegation Overview\n\nYou are ${this.row(runId, agent).headline}.\n`;
    const own = { id: 'delegation-1/overview', title: 'Delegation Overview', level: 1, text };
    const above = '# Role\n\nYou are the root.\n';
    const parent = { id: 'delegation-1/parent', title: 'Parent Prompt', level: 2, text: above };
    const sections =
      agent === '' ? [own] : [own, { ...parent, parent: { path: parentOf(agent), bytes: Buffer.byteLength(above) } }];
    return Promise.resolve({ hash: sha256(text), bytes: Buffer.byteLength(text), isIntact: true, sections });
  }

  files(runId: string): Promise<FilesView> {
    const writer = this.view(runId).agents[1]?.path ?? '';
    const lines = [' const a = 1;', '-const b = 2;', '+const b = 3;', `+// ${this.hostileOf(runId)}`];
    const changed = { path: 'src/index.ts', change: 'changed', added: 2, removed: 1, runs: null, lost: 1 } as const;
    const added = { path: 'src/new.ts', change: 'added', added: 1, removed: 0, runs: null, lost: 0 } as const;
    const binary = { path: 'logo.png', change: 'changed', added: 0, removed: 0, runs: null, lost: 0 } as const;
    const files: FilesView['files'] = [
      {
        ...changed,
        writers: [
          { path: writer, turn: 7 },
          { path: '', turn: 2 },
        ],
        hunks: [{ oldStart: 12, newStart: 12, lines }],
      },
      { ...added, writers: [{ path: writer, turn: 2 }], hunks: [{ oldStart: 1, newStart: 1, lines: ['+export {};'] }] },
      { ...binary, writers: [], hunks: null },
    ];
    return Promise.resolve({ files });
  }

  artifacts(runId: string): ReturnType<PageSource['artifacts']> {
    const text = wholeText(runId);
    const plan = {
      name: 'PLAN.md',
      path: '',
      turn: 3,
      bytes: text.length,
      hash: sha256(text),
      mediaType: 'text/markdown',
    };
    const missing = { name: 'report.json', path: null, turn: null, bytes: null, hash: null, mediaType: null };
    return Promise.resolve({
      artifacts: [
        { ...plan, isExpected: true, text },
        { ...missing, isExpected: true, text: null },
      ],
    });
  }

  budget(runId: string, agent: string): ReturnType<PageSource['budget']> {
    const { own, withDelegations } = this.row(runId, agent);
    return Promise.resolve({
      own,
      below: figures(withDelegations.turns - own.turns),
      held: figures(0),
      limits: { microUsd: 25_000_000, tokens: null, turns: 20_000 },
      deadline: null,
      window: { occupied: 24_000, size: 200_000, handoffAt: 120_000 },
      injectedTokens: 9_100,
      readTokens: 11_000,
    });
  }

  events(runId: string, agent: string): ReturnType<PageSource['events']> {
    const { startedAt, turn } = this.row(runId, agent);
    const events = Array.from({ length: turn }, (_, index) => ({
      at: new Date(startedAt + index * 4_000).toISOString(),
      path: agent,
      kind: 'turn',
      words: `turn ${index + 1}: tool_use, 10,312 tokens, calls read_file ${this.hostileOf(runId)}`,
      json: { kind: 'turn', turn: index + 1 },
    }));
    return Promise.resolve({ events, before: null });
  }

  why(): ReturnType<PageSource['why']> {
    return Promise.resolve({
      verdict: 'waiting',
      message: 'It waits for an operator.',
      remedy: null,
      commands: [],
      remarks: [],
    });
  }

  async *search(runId: string, text: string, signal: AbortSignal): AsyncGenerator<SearchFrame> {
    const { agents } = this.view(runId);
    for (const [index, row] of agents.entries()) {
      if (signal.aborted) return;
      for (const entry of generateEntries(row)) {
        const line = entry.kind === 'turn' ? (entry.text[0]?.text ?? '') : '';
        if (entry.kind === 'turn' && `${row.headline} ${line}`.includes(text))
          yield { hit: { path: row.path, turn: entry.turn, line } };
      }
      if (index % 100 === 99) yield { searched: index + 1, of: agents.length, done: false };
      await Promise.resolve();
    }
    yield { searched: agents.length, of: agents.length, done: true };
  }

  command(runId: string, command: PageCommand): Promise<unknown> {
    this.commands.push({ ...command, runId });
    if (this.refusal !== undefined) return Promise.reject(new BatonError('Client.Refused', this.refusal));
    const { agent: given, action, incident } = command.body;
    const path = typeof given === 'string' ? given : '';
    const at = new Date().toISOString();
    if (command.name !== 'decide') return Promise.resolve({ at, by: 'ada' });
    const left = this.view(runId).incidents.filter((open) => open.path !== path || open.id !== incident);
    this.setIncidents(runId, left, [{ path, state: 'running', detail: 'thinking' }]);
    return Promise.resolve({ incident, action, by: 'ada', note: '', at });
  }

  /** Returns a run as it is now. */
  view(runId: string): RunView {
    const view = this.runsById.get(runId);
    if (view === undefined)
      throw new BatonError('Client.NotFound', `Run "${runId}" does not exist.`, 'List runs with: baton list');
    return view;
  }

  private row(runId: string, path: string): AgentRow {
    const found = this.view(runId).agents.find((row) => row.path === path);
    if (found === undefined) throw new BatonError('Client.NotFound', `Run ${runId} has no agent "${path}".`);
    return found;
  }

  private hostileOf(runId: string): string {
    return this.options.find((each) => (each.runId ?? 'r-generated') === runId)?.hostile ?? '';
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function wholeText(runId: string): string {
  return `# Plan of ${runId}\n\n1. Read\n2. Write\n`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
