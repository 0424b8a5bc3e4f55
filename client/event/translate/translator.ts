import type { Decoder, HistoryEvent } from '../decoder';
import { Delegations } from './delegations';
import { Lifecycle } from './lifecycle';
import { BetweenTurnEvents } from './limits';
import { LoopEvents } from './loop-events';
import { Operators } from './operators';
import { SharedSession } from './shared-session';
import { Steps, type PendingEvent } from './step';
import { Tools } from './tools';

/** Translates the history of one execution into events of the run. Pass every event exactly once, in order. */
export class Translator {
  private readonly steps: Steps;
  private readonly loop: LoopEvents;
  private readonly lifecycle: Lifecycle;
  private readonly delegations: Delegations;
  private readonly tools: Tools;
  private readonly shared: SharedSession;
  private readonly limits: BetweenTurnEvents;
  private readonly operators: Operators;

  constructor(decoder: Decoder, runId: string) {
    this.steps = new Steps(decoder);
    this.loop = new LoopEvents(decoder);
    this.lifecycle = new Lifecycle(decoder, runId);
    this.delegations = new Delegations(decoder);
    this.tools = new Tools(decoder);
    this.shared = new SharedSession(decoder);
    this.limits = new BetweenTurnEvents(decoder);
    this.operators = new Operators(decoder);
  }

  /** Returns the events that one history event means. */
  async translate(event: HistoryEvent): Promise<readonly PendingEvent[]> {
    const step = await this.steps.of(event);
    const work = [
      ...(await this.delegations.read(step)),
      ...(await this.tools.read(step)),
      ...(await this.shared.read(step)),
      ...(await this.limits.read(step)),
      ...(await this.operators.read(step)),
    ];
    for (const { body } of work) this.loop.ended(body);
    const loopEvents = (await this.loop.read(step)).map((body) => ({ body }));
    // Lifecycle events come last, so that no event follows the end of its agent.
    return [...work, ...loopEvents, ...(await this.lifecycle.read(step))];
  }
}
