import type { ConversationEntry, ConversationTurn } from '../../../client/conversation/conversation';
import { countStates } from '../../../client/view/run-row';
import type { AgentRow, Figures, RunView, ViewIncident, ViewSegment, ViewState } from '../../../client/view/run-view';
import { withCommand } from '../../../client/view/view-failure';

/** What a generated run has. */
export interface GeneratedOptions {
  readonly runId?: string;
  readonly goal?: string;
  /** Number of agents, the root included. Default: 12. */
  readonly agents?: number;
  /** Children of the root that one call of its turn 2 started. The others are below them or below the root. Default: half. */
  readonly batch?: number;
  /** Turns of the whole run, spread over its agents. Default: three for each agent. */
  readonly turns?: number;
  readonly failures?: number;
  readonly needsYou?: number;
  readonly running?: number;
  /** Longest chain of agents outside of the batch. Default: 2. */
  readonly depth?: number;
  /** Whether the root is still at work. Default: true. */
  readonly isOpen?: boolean;
  /** Text that is put into every field that has text. */
  readonly hostile?: string;
}

export const startOfRun = Date.parse('2026-11-16T14:00:00.000Z');
const turnMs = 4_000;

/** A run that nobody ran, for pages: the same options give the same run. */
export function generateRun(options: GeneratedOptions = {}): RunView {
  const { runId = 'r-generated', goal = 'Review the licences of all dependencies', agents = 12 } = options;
  const { batch = Math.floor(agents / 2), turns = agents * 3, isOpen = true } = options;
  const each = Math.max(1, Math.floor(turns / agents));
  const text = (plain: string): string => (options.hostile === undefined ? plain : `${plain} ${options.hostile}`);
  const paths = pathsOf(agents, batch, options.depth ?? 2);
  const states = statesOf(paths, batch, options);
  const rows = paths.map((path, index): AgentRow => {
    const state = index === 0 ? (isOpen ? 'waiting' : 'completed') : (states[index] ?? 'completed');
    const own = figures(each);
    const inBatch = index >= 1 && index <= batch;
    return {
      path,
      parent: path === '' ? null : path.slice(0, Math.max(0, path.lastIndexOf('/'))),
      headline: text(path === '' ? goal : `Read package ${index}`),
      role: index > batch && index % 3 === 0 ? text('verifier') : null,
      model: 'claude-sonnet-5-5',
      state,
      detail: detailOf(state, index, agents),
      failure: state === 'failed' ? failureOf(`run/${runId}/${path}`, index, text) : null,
      turn: each,
      maxTurns: 100,
      own,
      withDelegations: path === '' ? figures(each * agents) : own,
      startedAt: startOfRun + index * 50,
      endedAt: isEnded(state) ? startOfRun + index * 50 + each * turnMs : null,
      batch: inBatch ? { callId: 'call-2', turn: 2, index: index - 1, size: batch } : null,
      segments: segmentsOf(startOfRun + index * 50, each, isEnded(state)),
    };
  });
  return withRun({ runId, goal: text(goal), rows, isOpen, incidents: incidentsOf(rows, text) });
}

interface Parts {
  readonly runId: string;
  readonly goal: string;
  readonly rows: readonly AgentRow[];
  readonly isOpen: boolean;
  readonly incidents: readonly ViewIncident[];
}

function withRun({ runId, goal, rows, isOpen, incidents }: Parts): RunView {
  const root = rows[0];
  if (root === undefined) throw new Error('A run has at least one agent.');
  return {
    run: {
      runId,
      goal,
      title: goal,
      model: root.model,
      state: incidents.length > 0 ? 'needs you' : root.state,
      detail: '',
      agents: countStates(rows),
      figures: root.withDelegations,
      startedAt: startOfRun,
      endedAt: isOpen ? null : startOfRun + 600_000,
      waiting:
        incidents[0] === undefined ? null : { incidents: incidents.length, since: Date.parse(incidents[0].since) },
    },
    agents: rows,
    incidents,
    relay: null,
    budget: {
      microUsd: { limit: 25_000_000, held: 2_100_000 },
      tokens: { limit: null, held: 0 },
      turns: { limit: 20_000, held: 0 },
      deadline: null,
    },
    gaps: [],
  };
}

/** Id of the agent with this number, as long as real ones and with different first letters. */
export function generatedId(index: number): string {
  return `${((index * 7_919 + 104_729) % 1_048_576).toString(32).padStart(4, '0')}${index.toString(32).padStart(22, '0')}`;
}

function pathsOf(agents: number, batch: number, depth: number): string[] {
  const paths = ['', ...Array.from({ length: Math.min(batch, agents - 1) }, (_, index) => generatedId(index + 1))];
  let above = '';
  for (let index = paths.length; index < agents; index += 1) {
    const path = above === '' ? generatedId(index) : `${above}/${generatedId(index)}`;
    paths.push(path);
    above = path.split('/').length < depth ? path : '';
  }
  return paths;
}

function statesOf(paths: readonly string[], batch: number, options: GeneratedOptions): ViewState[] {
  const states: ViewState[] = paths.map(() => 'completed');
  let at = 1;
  const fill = (state: ViewState, count = 0): void => {
    for (let n = 0; n < count && at < Math.max(batch + 1, paths.length); n += 1, at += 1) states[at] = state;
  };
  fill('needs you', options.needsYou);
  fill('failed', options.failures);
  fill('running', options.running);
  return states;
}

function isEnded(state: ViewState): boolean {
  return ['completed', 'failed', 'cancelled', 'skipped'].includes(state);
}

function detailOf(state: ViewState, index: number, agents: number): string {
  if (state === 'failed') return failureType(index);
  if (state === 'needs you') return 'Model.RateLimited';
  if (state === 'running') return 'thinking';
  return state === 'waiting' ? `${agents - 1} agents` : '';
}

function failureType(index: number): string {
  return index % 7 === 0 ? 'Output.Invalid' : 'Model.RateLimited';
}

function failureOf(workflowId: string, index: number, text: (plain: string) => string): AgentRow['failure'] {
  const message = text(`429 too many requests, asked to wait ${index % 60} s`);
  return withCommand(workflowId, { type: failureType(index), message });
}

/** Figures of this number of turns. */
export function figures(turns: number): Figures {
  return {
    turns,
    usage: { input: turns * 700, cacheRead: turns * 9_100, cacheWrite: turns * 300, output: turns * 212 },
    microUsd: turns * 12_000,
  };
}

function segmentsOf(from: number, turns: number, isOver: boolean): ViewSegment[] {
  return Array.from({ length: turns }, (_, index) => index + 1).flatMap((turn) => {
    const start = from + (turn - 1) * turnMs;
    const isLast = turn === turns;
    const model = { kind: 'model', from: start, to: isLast && !isOver ? null : start + 2_500, turn } as const;
    const tool = { kind: 'tool', from: start + 2_500, to: start + turnMs - 200, turn } as const;
    const thought = { ...model, label: 'thinking', isError: false };
    return isLast ? [thought] : [thought, { ...tool, label: 'grep, read_file', isError: turn % 5 === 0 }];
  });
}

function incidentsOf(rows: readonly AgentRow[], text: (plain: string) => string): ViewIncident[] {
  const waiting = rows.filter(({ state }) => state === 'needs you');
  return waiting.map(({ path, startedAt }) => ({
    path,
    id: 'i1',
    kind: 'failure',
    type: 'Model.RateLimited',
    message: text('429 too many requests, asked to wait 40 s'),
    since: new Date(startedAt + 5_000).toISOString(),
    attempt: 3,
    step: 'turn 7',
    delegation: null,
    tool: null,
    alike: waiting.length - 1,
  }));
}

/** The conversation of an agent: what it was asked, then turns with tool calls. */
export function generateEntries(row: AgentRow, hostile = ''): ConversationEntry[] {
  const opening: ConversationEntry = {
    kind: 'message',
    position: 0,
    from: 'opening',
    at: new Date(row.startedAt).toISOString(),
    text: { text: row.headline },
  };
  return [opening, ...Array.from({ length: row.turn }, (_, index) => generateTurn(row, index + 1, hostile))];
}

function generateTurn(row: AgentRow, turn: number, hostile: string): ConversationTurn {
  const at = row.startedAt + (turn - 1) * turnMs;
  const { usage, microUsd } = figures(1);
  const isLast = turn === row.turn;
  return {
    kind: 'turn',
    position: turn,
    turn,
    startedAt: new Date(at).toISOString(),
    at: new Date(at + 2_500).toISOString(),
    tookMs: 2_500,
    attempts: 1,
    model: 'claude-sonnet-5-5',
    stopReason: isLast && row.endedAt !== null ? 'done' : 'toolCalls',
    usage,
    microUsd,
    thinking: turn % 2 === 0 ? [{ text: `The tests of turn ${turn} come first. ${hostile}` }] : [],
    text: [{ text: `## Turn ${turn}\n\nI will **look** at \`package.json\` first.\n\n- one\n- two\n\n${hostile}` }],
    calls:
      isLast && row.endedAt !== null
        ? []
        : [
            {
              callId: `call-${turn}`,
              tool: turn === 2 && row.path === '' ? 'dispatch_subagents' : 'read_file',
              arguments: {
                text: JSON.stringify({ path: `src/file-${turn}.ts`, note: `line one\nline two ${hostile}` }),
              },
              result: isLast ? null : { text: `const a = ${turn};\nconst b = 2;\n${hostile}`, isError: turn % 5 === 0 },
              startedAt: new Date(at + 2_500).toISOString(),
              tookMs: isLast ? null : 200,
            },
          ],
  };
}
