import {
  proxyActivities,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptorsFactory,
  type WorkflowInternalsInterceptor,
} from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import type { AgentSettings } from '../../domain/agent';
import type { Retry } from '../../domain/operator';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions } from '../agent/agent';

/** How often an execution has been reset so far. Grows during a replay as it did before. */
export interface Resets {
  readonly count: number;
}

/**
 * Tells workflow code when it continues from a reset, which it has no other way to learn. Passed as the second argument
 * of the workflow function, because modules are shared by all executions and keep no state.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const watch = new ResetWatch();
  return { inbound: [watch], internals: [watch] };
};

class ResetWatch implements WorkflowInboundCallsInterceptor, WorkflowInternalsInterceptor {
  private readonly resets = { count: 0 };

  activate: NonNullable<WorkflowInternalsInterceptor['activate']> = (input, next) => {
    // An execution gets another seed for random numbers when it has been reset, and only then.
    if (input.activation.jobs?.some(({ updateRandomSeed }) => updateRandomSeed != null) === true)
      this.resets.count += 1;
    next(input);
  };

  execute: NonNullable<WorkflowInboundCallsInterceptor['execute']> = (input, next) =>
    next({ ...input, args: [input.args[0], this.resets] });
}

/**
 * Learns after a reset whether an operator's retry was the reason for it, and what the operator decided. The answer comes
 * from an activity, so that it is recorded. Without a reset this costs nothing.
 */
export class RetryAfterReset {
  private known = 0;
  private question: { readonly about: number; readonly answer: Promise<boolean> } | undefined;

  constructor(
    private readonly resets: Resets,
    private readonly settings: AgentSettings,
    /** Called once for each retry, before `learn` resolves. */
    private readonly accept: (retry: Retry) => void,
  ) {}

  /** Whether this execution has been reset, and nothing has been learned about it yet. */
  get isOpen(): boolean {
    return this.resets.count > this.known;
  }

  /** Resolves with true if the last reset is an operator's retry. Asked once, however many steps want to know. */
  learn(): Promise<boolean> {
    const { count } = this.resets;
    if (this.question?.about !== count) this.question = { about: count, answer: this.ask(count) };
    return this.question.answer;
  }

  private async ask(count: number): Promise<boolean> {
    const { findRetry } = proxyActivities<AgentActivities>(
      activityOptions(shortActivityOptions, this.settings, 'look for a retry'),
    );
    const { retry } = await findRetry({});
    this.known = count;
    if (retry !== null) this.accept(retry);
    return retry !== null;
  }
}
