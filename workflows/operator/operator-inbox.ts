import { condition, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import { type AgentSettings, defaultHoldMs } from '../../domain/agent';
import {
  type Acknowledgement,
  type Amendment,
  boundedIncident,
  checkDecision,
  checkSteering,
  type DecisionRecord,
  formatIncidentSummary,
  type Incident,
  type OperatorDecision,
  operatorDecisionContract,
  type OperatorState,
  parkedContract,
  pauseContract,
  resumeContract,
  type Retry,
  setPausedContract,
  steerContract,
  withAmendment,
  withDecision,
  withSteering,
} from '../../domain/operator';
import { workflowNow } from '../clock';
import { handleSignal, handleUpdate } from '../handlers';
import { parkedSignal, setPausedSignal } from '../messages';
import { countParkedAgent } from '../metrics';
import { LatestSignal } from './latest-signal';

/** An incident before it gets its id and time. */
export type NewIncident = Omit<Incident, 'id' | 'since'>;

/** Result of an incident. */
export interface Answer {
  /** Undefined when no operator decided in time. */
  readonly decision: OperatorDecision | undefined;
}

/**
 * Receives operator input for an agent: pausing, steering messages, and decisions about incidents. Its state is carried
 * into the agent's next execution. Open incidents never are, because an agent continues as new only when nothing is
 * waiting.
 */
export class OperatorInbox {
  private open: readonly Incident[] = [];
  private readonly answers = new Map<string, OperatorDecision>();
  /** Instructions of accepted amendments that are not queued yet. */
  private promised: readonly string[] = [];
  /** Workflow ids of the delegations in progress. */
  private readonly children = new Set<string>();
  /** Delegations that wait for an operator, or that have agents below them that do, by delegation id. */
  private readonly waiting = new Map<string, { readonly self: boolean; readonly below: number }>();
  private readonly signals = new LatestSignal();
  /** Called when something has changed that queries or the Web UI should show. */
  onChange: () => void = () => undefined;
  /** Models that the agent's settings describe. What a worker adds is known once it has opened the agent. */
  models: AgentSettings['models'];

  constructor(
    private readonly settings: AgentSettings,
    private current: OperatorState,
  ) {
    this.models = settings.models;
    handleUpdate(operatorDecisionContract, (decision) => this.recordDecision(decision), {
      check: (decision) => this.checkDecision(decision),
      description:
        'Answers an open incident: {"incident": "i1", "action": "retry"}. Other actions: "amend" with "amendment": {…}, "skip" with "placeholder": "…", "abort"; for a requested tool, "approve" or "deny". "by" and "note" are recorded.',
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
    handleSignal(parkedContract, ({ delegationId, self, below }) => {
      if (self || below > 0) this.waiting.set(delegationId, { self, below });
      else this.waiting.delete(delegationId);
      this.notifyParent();
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
    return [...this.waiting.values()].reduce((sum, { self, below }) => sum + below + (self ? 1 : 0), 0);
  }

  /** Number of delegations that only wait for an operator. If one has closed, this agent holds the incident. */
  get parkedChildren(): number {
    const asking = [...this.waiting].flatMap(([delegationId, { self }]) => (self ? delegationId : []));
    return new Set([...asking, ...this.open.flatMap(({ delegation }) => delegation ?? [])]).size;
  }

  /** Opens an incident and waits for an operator's decision, at most until the hold timeout. */
  async openIncident(incident: NewIncident): Promise<Answer> {
    const id = `i${this.current.incidents + 1}`;
    this.current = { ...this.current, incidents: this.current.incidents + 1 };
    this.open = [...this.open, { ...boundedIncident(incident), id, since: workflowNow() }];
    // This summary is the only record in history of what the agent waits for.
    const summary = formatIncidentSummary({ ...incident, id });
    countParkedAgent(incident.type);
    this.notifyParent();
    try {
      await condition(() => this.answers.has(id), this.settings.holdMs ?? defaultHoldMs, { summary });
      return { decision: this.answers.get(id) };
    } finally {
      this.open = this.open.filter((other) => other.id !== id);
      this.answers.delete(id);
      this.notifyParent();
    }
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

  /** Resolves when the agent is not paused. */
  untilResumed(): Promise<void> {
    return condition(() => !this.current.paused);
  }

  /** Removes the first `count` steering messages: they have been sent to the model. */
  removeDelivered(count: number): void {
    if (count > 0) this.current = { ...this.current, steering: this.current.steering.slice(count) };
  }

  /** Queues a steering message for the model's next turn. */
  queueSteering(text: string): void {
    this.forgetInstructions(text);
    this.current = withSteering(this.current, text);
  }

  /** Frees the room of an amendment's instructions, which are now queued or will not be. */
  forgetInstructions(text: string): void {
    const at = this.promised.indexOf(text);
    if (at !== -1) this.promised = this.promised.filter((_, index) => index !== at);
  }

  /** Resolves when all outgoing signals have been sent. Unsent ones would be lost with this execution. */
  allSignalsSent(): Promise<void> {
    return this.signals.allSent();
  }

  /**
   * Registers a running delegation. `startsPaused` is the state it was started with; it is signalled if that is
   * outdated.
   */
  childStarted(workflowId: string, startsPaused: boolean): void {
    this.children.add(workflowId);
    if (this.current.paused !== startsPaused) this.sendPaused(workflowId);
  }

  /** Removes a delegation that has closed. */
  childEnded(workflowId: string, delegationId: string): void {
    this.children.delete(workflowId);
    // A delegation that was terminated while parked could not send the signal itself.
    if (this.waiting.delete(delegationId)) this.notifyParent();
  }

  /** Everything that the next turn will send. */
  private get unheard(): readonly string[] {
    return [...this.current.steering, ...this.promised];
  }

  private checkDecision(decision: OperatorDecision): string | undefined {
    return checkDecision(decision, {
      open: this.open.filter(({ id }) => !this.answers.has(id)),
      taken: this.current.decisions,
      unheard: this.unheard,
      models: this.models,
    });
  }

  private recordDecision(decision: OperatorDecision): DecisionRecord {
    this.answers.set(decision.incident, decision);
    const record: DecisionRecord = {
      incident: decision.incident,
      action: decision.action,
      by: decision.by ?? '',
      note: decision.note ?? '',
      at: workflowNow(),
    };
    this.current = withDecision(this.current, record);
    if (decision.action === 'amend' && decision.amendment.instructions !== undefined)
      this.promised = [...this.promised, decision.amendment.instructions];
    this.onChange();
    return record;
  }

  private setPaused(paused: boolean): Acknowledgement {
    const state = paused ? 'paused: no model call is made until it is resumed' : 'running';
    if (this.current.paused === paused) return { state };
    this.current = { ...this.current, paused };
    for (const child of this.children) this.sendPaused(child);
    this.onChange();
    return { state };
  }

  private steer(text: string): Acknowledgement {
    this.queueSteering(text);
    return { state: 'the message is sent to the model with its next turn' };
  }

  private sendPaused(child: string): void {
    this.signals.send(child, () =>
      getExternalWorkflowHandle(child).signal(setPausedSignal, { paused: this.current.paused }),
    );
  }

  private notifyParent(): void {
    this.onChange();
    const { parent, workflowId } = workflowInfo();
    if (parent === undefined) return;
    const delegationId = workflowId.slice(workflowId.lastIndexOf('/') + 1);
    this.signals.send(parent.workflowId, () =>
      getExternalWorkflowHandle(parent.workflowId).signal(parkedSignal, {
        delegationId,
        self: this.open.length > 0,
        below: this.parkedBelow,
      }),
    );
  }
}
