import { type AgentSettings, defaultHoldMs } from '../../domain/agent';
import {
  type Acknowledgement,
  type Amendment,
  boundedIncident,
  checkDecision,
  checkSteering,
  type DecisionRecord,
  decisionRecord,
  formatIncidentSummary,
  type Incident,
  type OperatorDecision,
  operatorDecisionContract,
  type OperatorState,
  type ParkedReport,
  pauseContract,
  pausedState,
  resumeContract,
  type Retry,
  setPausedContract,
  type StandingDecision,
  standingContract,
  standingFor,
  standingOf,
  steerContract,
  withAmendment,
  withDecision,
  withStanding,
  withSteering,
} from '../../domain/operator';
import { secondsFromNow, workflowNow } from '../clock';
import { failure } from '../failures';
import { handleSignal, handleUpdate } from '../handlers';
import { countParkedAgent } from '../metrics';
import { conditionOrTime } from './condition-or-time';
import { FamilySignals } from './family-signals';
import type { Answer, IncidentOptions } from './incident-options';
import { continuesAfter } from './running-place';

/** An incident before it gets its id and time. */
export type NewIncident = Omit<Incident, 'id' | 'since'>;

/**
 * Receives operator input for an agent: pausing, steering messages, and decisions about incidents. Its state is carried
 * into the agent's next execution. Open incidents never are, because an agent continues as new only when nothing is
 * waiting.
 */
export class OperatorInbox {
  private open: readonly Incident[] = [];
  private readonly answers = new Map<string, OperatorDecision>();
  /** Checks of decisions by incident, and the incidents about which a decision is being checked. */
  private readonly checks = new Map<string, NonNullable<IncidentOptions['accept']>>();
  private readonly checking = new Set<string>();
  /** Instructions of accepted amendments that are not queued yet. */
  private promised: readonly string[] = [];
  /** What its parent and its delegations tell it, and are told. */
  readonly family: FamilySignals;
  /** Called when something has changed that queries or the Web UI should show. */
  onChange: () => void = () => undefined;
  /** Announces a new incident outside. Returns a function that is called when the incident is closed. */
  announce: (incident: Incident) => () => void = () => () => undefined;
  /** Called when the agent has to heed something before its next call; undefined while nobody waits for that. */
  onInput: (() => void) | undefined;
  /** Models that the agent's settings describe. What a worker adds is known once it has opened the agent. */
  models: AgentSettings['models'];

  constructor(
    private readonly settings: AgentSettings,
    private current: OperatorState,
  ) {
    this.models = settings.models;
    this.family = new FamilySignals({
      state: () => this.current,
      isParked: () => this.open.length > 0,
      onChange: () => {
        this.onChange();
      },
    });
    handleUpdate(operatorDecisionContract, (decision) => this.recordDecision(decision), {
      check: (decision) => this.checkDecision(decision),
      description:
        'Answers an open incident: {"incident": "i1", "action": "retry"}. Other actions: "amend" with "amendment": {…}, "skip" with "placeholder": "…", "abort"; for a requested tool or a call, "approve" or "deny" ("always": true for further calls, "edit": {…} for other arguments); for a question, "answer" with "text": "…". "by" and "note" are recorded.',
    });
    handleUpdate(pauseContract, () => this.setPaused(true), {
      description: 'Pauses the agent and all agents below it before their next model call.',
    });
    handleUpdate(resumeContract, () => this.setPaused(false), {
      description: 'Resumes a paused agent and all agents below it.',
    });
    handleUpdate(steerContract, ({ text }) => this.steer(text), {
      check: ({ text }) => checkSteering(text, this.unheard),
      description: 'Sends a steering message to the model with its next turn: {"text": "…"}.',
    });
    handleSignal(setPausedContract, ({ paused }) => void this.setPaused(paused));
    handleSignal(standingContract, ({ decisions }) => {
      this.addStanding(decisions);
    });
  }

  /** State to carry into the agent's next execution. */
  get state(): OperatorState {
    return this.current;
  }

  /** Open incidents, oldest first. */
  get incidents(): readonly Incident[] {
    return this.open;
  }

  /** Number of agents below that wait for an operator. */
  get parkedBelow(): number {
    return this.family.parkedBelow;
  }

  /** Ids of delegations that only wait for an operator. If one has closed, this agent holds the incident. */
  get parkedChildren(): ReadonlySet<string> {
    return new Set([...this.family.parkedChildren, ...this.open.flatMap(({ delegation }) => delegation ?? [])]);
  }

  /**
   * Opens an incident and waits for an operator's decision, at most until the hold timeout. An agent that continues then
   * waits until its parent's concurrency limit allows it.
   */
  async openIncident(incident: NewIncident, { timeoutMs, accept }: IncidentOptions = {}): Promise<Answer> {
    let decision: OperatorDecision | undefined;
    const id = `i${this.current.incidents + 1}`;
    this.current = { ...this.current, incidents: this.current.incidents + 1 };
    const opened: Incident = { ...boundedIncident(incident), id, since: workflowNow() };
    if (this.open.length === 0) this.family.place.giveUp();
    this.open = [...this.open, opened];
    if (accept !== undefined) this.checks.set(id, accept);
    // This summary is the only record in history of what the agent waits for.
    const summary = formatIncidentSummary({ ...incident, id });
    countParkedAgent(incident.type);
    this.notifyParent();
    const closed = this.announce(opened);
    try {
      await conditionOrTime(() => this.answers.has(id), Math.min(timeoutMs ?? Infinity, this.holdMs), { summary });
      decision = this.answers.get(id);
      if (continuesAfter(incident, decision)) this.family.place.want();
    } finally {
      this.open = this.open.filter((other) => other.id !== id);
      this.answers.delete(id);
      this.checks.delete(id);
      closed();
      this.notifyParent();
    }
    if (this.family.place.isWanted) await this.family.place.untilAdmitted();
    return { decision };
  }

  /** Returns when an incident that is opened now is no longer open, ISO 8601. */
  until(timeoutMs = Infinity): string {
    return secondsFromNow(Math.min(timeoutMs, this.holdMs) / 1_000);
  }

  private get holdMs(): number {
    return this.settings.holdMs ?? defaultHoldMs;
  }

  /** Records that an operator had this agent retried after it had failed. Changes of settings wait for its next step. */
  acceptRetry({ by = '', note = '', amendment }: Retry): void {
    // The failure that ended the agent counts as an incident.
    const incidents = this.current.incidents + 1;
    const action = amendment === undefined ? 'retry' : 'amend';
    const record = { incident: `i${incidents}`, action, by, note, at: workflowNow() };
    this.current = withDecision({ ...this.current, incidents }, record);
    if (amendment !== undefined) this.current = withAmendment(this.current, amendment);
    this.onChange();
  }

  /** Whether changes of settings wait to be applied. */
  get hasAmendments(): boolean {
    return this.current.amendments !== undefined;
  }

  /** Returns the changes of settings that wait to be applied, and forgets them. */
  takeAmendments(): readonly Amendment[] {
    const { amendments = [], ...rest } = this.current;
    this.current = rest;
    return amendments;
  }

  /** Removes the first `count` steering messages: they have been sent to the model. */
  removeDelivered(count: number): void {
    if (count > 0) this.current = { ...this.current, steering: this.current.steering.slice(count) };
  }

  /** Queues a steering message for the model's next turn. */
  queueSteering(text: string): void {
    this.forgetInstructions(text);
    this.current = withSteering(this.current, text);
    this.onInput?.();
  }

  /** Frees the room of an amendment's instructions, which are now queued or will not be. */
  forgetInstructions(text: string): void {
    const at = this.promised.indexOf(text);
    if (at !== -1) this.promised = this.promised.filter((_, index) => index !== at);
  }

  /**
   * Registers a running delegation. `started` is the state it was started with; it is signalled if that is outdated.
   * `reported` is what one that is adopted has said before.
   */
  childStarted(workflowId: string, started: Partial<OperatorState>, reported?: ParkedReport): void {
    this.family.childStarted(workflowId, started, reported);
  }

  /** Removes a delegation that has closed. */
  childEnded(workflowId: string, delegationId: string): void {
    // A delegation that was terminated while parked could not send the signal itself.
    if (this.family.childEnded(workflowId, delegationId)) this.notifyParent();
  }

  /** Everything that the next turn will send. */
  private get unheard(): readonly string[] {
    return [...this.current.steering, ...this.promised];
  }

  private checkDecision(decision: OperatorDecision): string | undefined {
    if (this.checking.has(decision.incident))
      return `incident: another answer to ${decision.incident} is being checked. Try again in a moment.`;
    return checkDecision(decision, {
      open: this.open.filter(({ id }) => !this.answers.has(id)),
      taken: this.current.decisions,
      unheard: this.unheard,
      models: this.models,
    });
  }

  private recordDecision(decision: OperatorDecision): DecisionRecord | Promise<DecisionRecord> {
    const checked = this.checks.get(decision.incident)?.(decision);
    return checked === undefined ? this.takeDecision(decision) : this.afterCheck(checked, decision);
  }

  private async afterCheck(checked: Promise<void>, decision: OperatorDecision): Promise<DecisionRecord> {
    const { incident } = decision;
    this.checking.add(incident);
    try {
      await checked;
    } finally {
      this.checking.delete(incident);
    }
    if (!this.open.some(({ id }) => id === incident))
      throw failure('Input.Invalid', `incident: ${incident} is no longer open.`);
    return this.takeDecision(decision);
  }

  private takeDecision(decision: OperatorDecision): DecisionRecord {
    this.answers.set(decision.incident, decision);
    const record = decisionRecord(decision, workflowNow());
    this.current = withDecision(this.current, record);
    if (decision.action === 'amend' && decision.amendment.instructions !== undefined)
      this.promised = [...this.promised, decision.amendment.instructions];
    const about = this.open.find(({ id }) => id === decision.incident);
    const standing = about === undefined ? undefined : standingOf(decision, about);
    if (standing !== undefined) this.addStanding([standing]);
    this.onChange();
    return record;
  }

  /** Applies decisions to further calls of a tool, and to those that wait, here and below. */
  private addStanding(decisions: readonly StandingDecision[]): void {
    this.current = withStanding(this.current, decisions);
    for (const { id, tool, call } of this.open) {
      if (tool === null || call === undefined || this.answers.has(id) || this.checking.has(id)) continue;
      const standing = standingFor(this.current, { tool, rules: call.rules });
      if (standing === undefined) continue;
      const { action, by, note } = standing;
      this.takeDecision({ incident: id, action, by, note });
    }
    this.family.tellStanding();
    this.onChange();
  }

  private setPaused(paused: boolean): Acknowledgement {
    const state = paused ? pausedState(this.onInput !== undefined) : 'running';
    if (this.current.paused === paused) return { state };
    this.current = { ...this.current, paused };
    if (paused) this.onInput?.();
    this.family.tellPaused();
    this.onChange();
    return { state };
  }

  private steer(text: string): Acknowledgement {
    this.queueSteering(text);
    return { state: 'the message is sent to the model with its next turn' };
  }

  private notifyParent(): void {
    this.onChange();
    this.family.tellParent();
  }
}
