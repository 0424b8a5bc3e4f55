import { CancellationScope, ContinueAsNew, isCancellation } from '@temporalio/workflow';
import type { FailureType } from '../domain/failure-types';
import type { Amendment } from '../domain/operator/decision';
import type { Agent } from './agent';
import { amend } from './amend';
import { failure, rootCause } from './failures';

/** Nobody decided in time: what had failed stays failed, and is not put to anybody again. */
class Unanswered extends Error {
  constructor(id: string, cause: unknown) {
    super(`Nobody answered incident ${id} in time.`, { cause });
  }
}

/** An operator's word instead of a result. */
export class Skipped extends Error {
  constructor(readonly placeholder: string) {
    super('An operator skipped the step.');
  }
}

export interface HeldStep {
  /** In a few words, for the operator. */
  readonly name: string;
  /** The delegation that it is about, when it is not the agent's own work. */
  readonly delegation?: string;
  /** What its failure is called when it has no type of its own. */
  readonly type?: FailureType;
  /** Whether a failure is one for operators; all are when left out. */
  readonly when?: (error: unknown) => boolean;
}

/**
 * Does a step; when it fails and the agent is to wait for an operator, asks one. A retry repeats this step alone:
 * whatever was done before it stays done.
 */
export function orAskOperator<T>(agent: Agent, step: HeldStep, attempt: () => Promise<T>): Promise<T> {
  return agent.settings.onFailure === 'hold' ? untilDone(agent, step, attempt) : attempt();
}

async function untilDone<T>(agent: Agent, step: HeldStep, attempt: () => Promise<T>): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (!canBeHeld(error) || step.when?.(error) === false) throw error;
      await decided(agent, step, number, error);
    }
  }
}

/** Returns when the step is to be tried again. */
async function decided(agent: Agent, step: HeldStep, attempt: number, error: unknown): Promise<void> {
  const { type, message } = rootCause(error);
  const { id, decision } = await agent.desk.ask({
    kind: 'failure',
    type: type ?? step.type ?? 'Agent.Failed',
    message: message.slice(0, 500),
    attempt,
    step: step.name,
    delegation: step.delegation ?? null,
    tool: null,
  });
  switch (decision?.action) {
    case 'retry':
      break;
    case 'amend':
      await amended(agent, step, attempt, decision.amendment);
      break;
    case 'skip':
      throw new Skipped(decision.placeholder);
    case 'abort':
      throw failure('Agent.Aborted', `Aborted by an operator${said(decision)}. It had failed: ${message}`);
    default:
      throw new Unanswered(id, error);
  }
  agent.progress = { ...agent.progress, tries: agent.progress.tries + 1 };
}

/** What can't be changed as the operator wants is put to them again, before anything is tried. */
async function amended(agent: Agent, step: HeldStep, attempt: number, amendment: Amendment): Promise<void> {
  try {
    await amend(agent, amendment);
  } catch (error) {
    if (!canBeHeld(error)) throw error;
    await decided(agent, { ...step, name: `amendment of ${step.name}` }, attempt, error);
  }
}

function said({ by = '', note = '' }: { by?: string | undefined; note?: string | undefined }): string {
  return `${by === '' ? '' : ` (${by})`}${note === '' ? '' : `: ${note}`}`;
}

function canBeHeld(error: unknown): boolean {
  if (error instanceof ContinueAsNew || error instanceof Skipped || error instanceof Unanswered) return false;
  // A cancelled or expired agent has nobody to wait for.
  if (isCancellation(error) || CancellationScope.current().consideredCancelled) return false;
  return rootCause(error).type !== 'Agent.Aborted';
}
