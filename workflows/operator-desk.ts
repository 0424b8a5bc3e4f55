import { condition, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import { defaultHoldMs, type AgentSettings } from '../domain/agent/settings';
import { checkDecision, checkSteering } from '../domain/operator/check-decision';
import type { OperatorDecision } from '../domain/operator/decision';
import type { DecisionRecord, Incident } from '../domain/operator/incident';
import { incidentLine } from '../domain/operator/incident-line';
import type { DeskState } from '../domain/run/progress';
import { nowAsRecorded } from './clock';
import { failure } from './failures';
import {
  operatorDecisionUpdate,
  parkedSignal,
  pauseUpdate,
  resumeUpdate,
  setPausedSignal,
  steerUpdate,
  type Acknowledgement,
} from './messages';
import { countParked } from './observe';
import { Teller } from './teller';

export type NewIncident = Omit<Incident, 'id' | 'since'>;

export interface Answer {
  /** Of the incident. */
  readonly id: string;
  /** Undefined when nobody gave one in time. */
  readonly decision: OperatorDecision | undefined;
}

/** Decisions that stay with an agent; older ones stand in its history. */
const keptDecisions = 20;

/**
 * Where operators reach an agent: they pause it, steer it, and answer when it is stuck. What they said goes along into
 * the agent's next execution; an open incident never does, since an agent goes on only when nothing waits.
 */
export class OperatorDesk {
  private open: readonly Incident[] = [];
  private readonly answers = new Map<string, OperatorDecision>();
  /** Delegations under way, by workflow id. */
  private readonly children = new Set<string>();
  /** Delegations that wait for an operator, or have some below that do. */
  private readonly waiting = new Map<string, { readonly self: boolean; readonly below: number }>();
  private readonly teller = new Teller();
  /** Called when something changed that the outside should see. */
  onChange: () => void = () => undefined;

  constructor(
    private readonly settings: AgentSettings,
    private now: DeskState,
  ) {
    setHandler(operatorDecisionUpdate, (decision) => this.take(decision), {
      validator: (decision) => this.check(decision),
      description:
        'Answers an agent that waits for an operator: {"incident": "i1", "action": "retry"}. Or "amend" with "amendment": {…}, "skip" with "placeholder": "…", "abort"; for a tool that was asked for, "approve" or "deny". "by" and "note" are kept.',
    });
    setHandler(pauseUpdate, () => this.setPaused(true), {
      description: 'Stops the agent and everything below it before the next model call.',
    });
    setHandler(resumeUpdate, () => this.setPaused(false), { description: 'Lets a paused agent go on.' });
    setHandler(steerUpdate, ({ text }) => this.steer(text), {
      validator: (words) => this.checkSteering(words),
      description: 'Words that the model is told with its next turn: {"text": "…"}.',
    });
    setHandler(setPausedSignal, ({ paused }) => void this.setPaused(paused));
    setHandler(parkedSignal, ({ delegationId, self, below }) => {
      if (self || below > 0) this.waiting.set(delegationId, { self, below });
      else this.waiting.delete(delegationId);
      this.tellAbove();
    });
  }

  get state(): DeskState {
    return this.now;
  }

  get incidents(): readonly Incident[] {
    return this.open;
  }

  /** Agents below that wait for an operator. */
  get parkedBelow(): number {
    return [...this.waiting.values()].reduce((sum, { self, below }) => sum + below + (self ? 1 : 0), 0);
  }

  /** Whether a delegation does nothing but wait for an operator, who may have to be asked here when it is gone. */
  isParked(delegationId: string): boolean {
    const isAsking = this.open.some(({ delegation }) => delegation === delegationId);
    return isAsking || this.waiting.get(delegationId)?.self === true;
  }

  /** How many delegations do nothing else at the moment. */
  get parkedChildren(): number {
    return [...this.waiting.keys(), ...this.open.flatMap(({ delegation }) => delegation ?? [])].filter(
      (id, index, all) => this.isParked(id) && all.indexOf(id) === index,
    ).length;
  }

  /** Opens an incident and waits for its answer. */
  async ask(incident: NewIncident): Promise<Answer> {
    const id = `i${this.now.incidents + 1}`;
    this.now = { ...this.now, incidents: this.now.incidents + 1 };
    this.open = [...this.open, { ...incident, id, since: nowAsRecorded() }];
    // Nothing else in history says what the agent waits for.
    const summary = incidentLine({ ...incident, id });
    countParked(incident.type);
    this.tellAbove();
    try {
      await condition(() => this.answers.has(id), this.settings.holdMs ?? defaultHoldMs, { summary });
      return { id, decision: this.answers.get(id) };
    } finally {
      this.open = this.open.filter((one) => one.id !== id);
      this.answers.delete(id);
      this.tellAbove();
    }
  }

  /** Settles when the agent is no longer paused. */
  resumed(): Promise<void> {
    return condition(() => !this.now.paused);
  }

  /** The first of the words that the model has not heard are heard now. */
  heard(count: number): void {
    if (count > 0) this.now = { ...this.now, steering: this.now.steering.slice(count) };
  }

  /** Words for the model that came with a decision. */
  tell(words: string): void {
    this.now = { ...this.now, steering: [...this.now.steering, words.trim()] };
  }

  /** Settles when everybody has been told everything: what is not on its way is lost with the execution. */
  allTold(): Promise<void> {
    return this.teller.done();
  }

  childStarted(workflowId: string, toldPaused: boolean): void {
    this.children.add(workflowId);
    if (this.now.paused !== toldPaused) this.tellPaused(workflowId);
  }

  childEnded(workflowId: string, delegationId: string): void {
    this.children.delete(workflowId);
    // One that was terminated while it waited could not say so.
    if (this.waiting.delete(delegationId)) this.tellAbove();
  }

  private check(decision: unknown): void {
    const problem = checkDecision(decision, {
      open: this.open.filter(({ id }) => !this.answers.has(id)),
      taken: this.now.decisions,
      unheard: this.now.steering,
    });
    if (problem !== undefined) throw failure('Input.Invalid', problem);
  }

  private take(decision: OperatorDecision): DecisionRecord {
    this.answers.set(decision.incident, decision);
    const record: DecisionRecord = {
      incident: decision.incident,
      action: decision.action,
      by: decision.by ?? '',
      note: decision.note ?? '',
      at: nowAsRecorded(),
    };
    this.now = { ...this.now, decisions: [...this.now.decisions, record].slice(-keptDecisions) };
    this.onChange();
    return record;
  }

  private setPaused(paused: boolean): Acknowledgement {
    const state = paused ? 'paused: no model call is made until it is resumed' : 'running';
    if (this.now.paused === paused) return { state };
    this.now = { ...this.now, paused };
    for (const child of this.children) this.tellPaused(child);
    this.onChange();
    return { state };
  }

  private checkSteering(words: unknown): void {
    const problem = checkSteering(words, this.now.steering);
    if (problem !== undefined) throw failure('Input.Invalid', problem);
  }

  private steer(text: string): Acknowledgement {
    this.tell(text);
    return { state: 'the model is told with its next turn' };
  }

  private tellPaused(child: string): void {
    this.teller.tell(child, () =>
      getExternalWorkflowHandle(child).signal(setPausedSignal, { paused: this.now.paused }),
    );
  }

  private tellAbove(): void {
    this.onChange();
    const { parent, workflowId } = workflowInfo();
    if (parent === undefined) return;
    const delegationId = workflowId.slice(workflowId.lastIndexOf('/') + 1);
    this.teller.tell(parent.workflowId, () =>
      getExternalWorkflowHandle(parent.workflowId).signal(parkedSignal, {
        delegationId,
        self: this.open.length > 0,
        below: this.parkedBelow,
      }),
    );
  }
}
