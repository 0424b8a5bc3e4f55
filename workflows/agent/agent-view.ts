import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import {
  type AgentFiles,
  type AgentProgress,
  type AgentSettings,
  type BeforeTurn,
  beforeTurnContract,
  filesContract,
  formatRelayStatus,
  type RunStatus,
  sessionContract,
  type SessionView,
  snapshotContract,
  type StatusSnapshot,
} from '../../domain/agent';
import { runCommandName } from '../../domain/command';
import {
  addSpending,
  budgetTexts,
  figuresOf,
  figuresText,
  isUnlimited,
  nothingSpent,
  reservedAllowance,
} from '../../domain/budget';
import { formatFallback, noUsage } from '../../domain/model';
import { actionsFor, type Incident, listIncidents } from '../../domain/operator';
import { artifactsSlice, recordsOf } from '../../domain/session';
import { handleQuery } from '../handlers';
import type { OperatorInbox } from '../operator/operator-inbox';
import type { Agent } from './agent';
import { type IndexedStatus, indexRoot, indexStatus } from './search-attributes';

/** Publishes an agent's state through queries, the Web UI's current details and search attributes. */
export class AgentView {
  private status: RunStatus = 'starting';
  private waitingFor = 'its prompt';
  private isClosed = false;

  constructor(
    private readonly base: AgentSettings,
    private readonly inbox: OperatorInbox,
    private readonly agent: () => Agent | undefined,
    /**
     * Current value of the status search attribute. Continue-as-new keeps what the previous execution published, which
     * is not the inbox's state: a message that arrived before this execution began has changed that already.
     */
    private indexed: IndexedStatus,
  ) {
    inbox.onChange = () => {
      this.refresh();
    };
    handleQuery(snapshotContract, () => this.snapshot(), {
      description:
        'The status of the agent: turn, tokens spent, context usage, open incidents, and what it is waiting for.',
    });
    handleQuery(sessionContract, () => this.session(), {
      description:
        'The session of the agent: its plan, notes, artifacts, changed files and tool calls. If it has a "host", query that workflow for the newest version.',
    });
    handleQuery(filesContract, () => this.files(), {
      description: 'The workspace and the artifacts of the agent, as refs into the store.',
    });
    handleQuery(beforeTurnContract, (asked) => this.beforeTurn(asked?.turn), {
      description: 'The state of the root agent before one of its turns, for a run that continues from there.',
    });
  }

  /** Called once the agent is opened. Until then a root has no search attributes. */
  begin(isFreshRoot: boolean): void {
    const opened = this.progress?.opened;
    if (isFreshRoot && opened !== undefined) indexRoot(this.base.runId, opened);
    this.refresh();
  }

  /** Publishes what the agent is doing now. */
  show(status: RunStatus, waitingFor: string): void {
    this.status = status;
    this.waitingFor = waitingFor;
    setCurrentDetails(currentDetails(this.snapshot()));
  }

  /** Publishes a change in pausing or incidents, which also changes the status search attribute. */
  private refresh(): void {
    setCurrentDetails(currentDetails(this.snapshot()));
    const { incidents, state } = this.inbox;
    if (!this.isClosed) this.index(incidents.length > 0 ? 'needs_operator' : state.paused ? 'paused' : undefined);
  }

  /** Publishes how the agent ended. Nothing is published afterwards. */
  close(status: 'completed' | 'failed' | 'cancelled'): void {
    this.isClosed = true;
    this.show(status, '');
    this.index(undefined);
  }

  private index(status: IndexedStatus): void {
    if (status === this.indexed || this.progress?.opened.searchAttributes !== true) return;
    this.indexed = status;
    indexStatus(status);
  }

  private get progress(): AgentProgress | undefined {
    return this.agent()?.progress;
  }

  /** Returns the agent's current status. */
  snapshot(): StatusSnapshot {
    const { runId, limits, model, budget, commands } = this.agent()?.settings ?? this.base;
    const { progress, inbox } = this;
    return {
      runId,
      status: this.statusNow(),
      turn: progress?.calls ?? 0,
      maxTurns: limits.maxTurns,
      model: model.name,
      usage: progress?.ledger.own.usage ?? noUsage,
      delegatedUsage: progress?.ledger.delegated.usage ?? noUsage,
      delegations: progress?.delegations ?? 0,
      occupancy: progress?.occupancy ?? 0,
      window: model.window,
      waitingFor: inbox.family.place.isWanted ? itsTurn : this.waitingFor,
      storeId: progress?.opened.storeId ?? null,
      prompt: progress?.opened.prompt ?? null,
      transcript: progress?.head ?? null,
      skill: progress?.opened.skill ?? null,
      ...(progress?.opened.tools.names.includes(runCommandName) === true ? { commands: commands ?? {} } : {}),
      paused: inbox.state.paused,
      ...listIncidents(inbox.incidents),
      parkedBelow: inbox.parkedBelow,
      decisions: inbox.state.decisions,
      handoffs: progress?.handoffs ?? [],
      ...(progress?.fallbacks === undefined ? {} : { fallbacks: progress.fallbacks }),
      spent: progress?.ledger.own ?? nothingSpent,
      ...delegatedPart(progress),
      budget: progress?.ledger.allowance ?? budget ?? null,
      injectedTokens: progress?.opened.injectedTokens ?? 0,
      activeTokens: progress?.activeTokens ?? 0,
      ...(progress?.opened.deferred === undefined ? {} : { deferredTools: progress.opened.deferred.count }),
      ...relayPart(this.agent()),
      ...(progress?.continues === undefined ? {} : { continues: progress.continues }),
    };
  }

  private statusNow(): RunStatus {
    if (this.isClosed) return this.status;
    if (this.inbox.incidents.length > 0) return 'needs operator';
    return this.inbox.state.paused ? 'paused' : this.status;
  }

  private session(): SessionView {
    const agent = this.agent();
    const session = agent?.progress.session ?? { version: 0, slices: {} };
    const host = this.isClosed ? undefined : (agent?.hosted ?? agent?.shared?.host);
    return { ...session, ...(host === undefined ? {} : { host }) };
  }

  private beforeTurn(turn: number | undefined): BeforeTurn {
    const { turnStarts, progress } = this.agent() ?? {};
    const starts = turnStarts ?? [];
    const turnOf = (index: number): number | null => {
      const start = starts.at(index);
      return start === undefined ? null : start.progress.calls + 1;
    };
    return {
      first: progress?.continues?.turn ?? 1,
      last: turnOf(-1),
      here: turnOf(0),
      // A turn that an operator had repeated begins more than once; the last one counts.
      state: starts.filter((start) => start.progress.calls + 1 === turn).at(-1) ?? null,
    };
  }

  private files(): AgentFiles {
    const { progress } = this;
    if (progress === undefined) return { workspace: null, artifacts: [] };
    const artifacts = recordsOf(progress.session, artifactsSlice).map(({ name, ref }) => ({ name, ref }));
    return { workspace: progress.workspace, artifacts };
  }
}

/** What the ledger knows about delegations. */
function delegatedPart(progress: AgentProgress | undefined): Pick<StatusSnapshot, 'delegated' | 'reserved'> {
  if (progress === undefined || progress.delegations === 0) return {};
  const { ledger } = progress;
  const reserved = reservedAllowance(ledger);
  return { delegated: ledger.delegated, ...(isUnlimited(reserved) ? {} : { reserved }) };
}

function relayPart(agent: Agent | undefined): Pick<StatusSnapshot, 'relay'> {
  return agent?.relay === undefined ? {} : { relay: agent.relay() };
}

/** Maximum incidents that the Web UI's page shows with the commands that answer them. */
const maxDetailedIncidents = 10;

/** What an agent waits for that an operator has answered. */
const itsTurn = 'its turn: its parent has as many delegations at work as it may';

/** Formats an agent's status as Markdown, for the Web UI. */
function currentDetails(snapshot: StatusSnapshot): string {
  const { status, waitingFor, turn, maxTurns, occupancy, window, prompt, transcript, incidents } = snapshot;
  const share = Math.round((occupancy / window) * 100);
  return [
    ...incidents.slice(0, maxDetailedIncidents).flatMap(incidentLines),
    ...moreIncidentLines(snapshot),
    `**${status}**${waitingFor === '' ? '' : `: ${waitingFor}`}`,
    '',
    ...(snapshot.parkedBelow === 0 ? [] : [`- **waiting for an operator below: ${snapshot.parkedBelow}**`]),
    ...(snapshot.skill === null ? [] : [`- skill: \`${snapshot.skill}\``]),
    ...modelLines(snapshot),
    ...(snapshot.relay === undefined
      ? [`- turn ${turn} of ${maxTurns}`, `- context window: ${occupancy} of ${window} tokens (${share} %)`]
      : [`- ${formatRelayStatus(snapshot.relay)}`]),
    ...figureLines(snapshot),
    ...(snapshot.handoffs.length === 0 ? [] : [`- handoffs: ${snapshot.handoffs.length}`]),
    ...(prompt === null ? [] : [`- prompt: \`${prompt.hash}\``]),
    ...(transcript === null ? [] : [`- transcript: \`${transcript.hash.slice(0, 12)}\``]),
  ].join('\n');
}

function modelLines({ model, fallbacks = [] }: StatusSnapshot): string[] {
  return fallbacks.length === 0 ? [] : [`- model: \`${model}\``, ...fallbacks.map((one) => `- ${formatFallback(one)}`)];
}

function moreIncidentLines({ incidents, moreIncidents = 0 }: StatusSnapshot): string[] {
  const more = incidents.length + moreIncidents - maxDetailedIncidents;
  return more <= 0 ? [] : [`**${more} more incidents are open.** They are shown when these have been answered.`, ''];
}

/** Both figures. What delegations at work have spent is known when they end. */
function figureLines(snapshot: StatusSnapshot): string[] {
  const { spent, delegated, budget, delegations, status } = snapshot;
  const all = figuresOf(addSpending(spent, delegated ?? nothingSpent));
  const budgets = budgetTexts(budget ?? {}, all).map((text) => `- budget: ${text}`);
  if (delegated === undefined) return [`- own: ${figuresText(figuresOf(spent))}`, ...budgets];
  const isAtWork = !['completed', 'failed', 'cancelled'].includes(status);
  const part = isAtWork ? `, without those at work` : '';
  return [
    `- own: ${figuresText(figuresOf(spent))}`,
    `- with delegations (${delegations}${part}): ${figuresText(all)}`,
    ...budgets,
  ];
}

/** Describes an incident, and how to answer it in the Web UI or on the command line. */
function incidentLines(incident: Incident): string[] {
  const { id, type, message, since, attempt, step } = incident;
  const { workflowId } = workflowInfo();
  const actions = actionsFor(incident);
  return [
    `### Needs an operator: ${type}`,
    '',
    message,
    '',
    ...callLines(incident),
    ...(incident.options ?? []).map((option, index) => `${index + 1}. ${option}`),
    ...(incident.options === undefined ? [] : ['']),
    `- incident \`${id}\`, ${step}, attempt ${attempt}, since ${since}${incident.until === undefined ? '' : `, until ${incident.until}`}`,
    `- here: *More Actions*, *Send an Update*, \`operatorDecision\` with \`${exampleOf(incident)}\``,
    ...actions.map((action) => `- \`baton ${action} ${workflowId} --incident ${id}${optionOf(action)}\``),
    '',
  ];
}

/** Shows all arguments of a call if they are in history, and otherwise how to read them. */
function callLines({ id, call }: Incident): string[] {
  if (call === undefined) return [];
  const { arguments: given } = call;
  if ('text' in given) return ['```json', given.text, '```', ''];
  return [`All ${given.ref.bytes} bytes: \`baton show ${workflowInfo().workflowId} --incident ${id}\``, ''];
}

function exampleOf(incident: Incident): string {
  const { id, kind } = incident;
  const action = actionsFor(incident)[0] ?? '';
  return JSON.stringify({ incident: id, action, ...(kind === 'question' ? { text: '…' } : {}) });
}

function optionOf(action: string): string {
  if (action === 'skip') return ' --result "…"';
  if (action === 'answer') return ' "…"';
  return action === 'amend' ? ' --instructions "…"' : '';
}
