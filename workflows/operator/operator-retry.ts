import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { DomainError, type FailureType } from '../../domain/kernel';
import type { Amendment } from '../../domain/operator';
import type { Agent } from '../agent/agent';
import { failure, rootCause } from '../failures';
import { applyAmendment } from './effective-settings';

/** Thrown when no operator decided in time. The step stays failed, and no further incident is opened for it. */
class IncidentTimedOut extends DomainError {
  readonly type: FailureType;

  constructor(override readonly cause: unknown) {
    const { type = 'Agent.Failed', message } = rootCause(cause);
    super(message);
    this.type = type;
  }
}

/** Thrown when an operator skips a step and supplies a placeholder for its result. */
export class SkippedByOperator extends DomainError {
  readonly type = 'Agent.Failed';

  constructor(readonly placeholder: string) {
    super('An operator skipped the step.');
  }
}

/** A step that an operator can decide about when it fails. */
export interface OperatorStep {
  /** Short description, shown to the operator. */
  readonly name: string;
  /** Id of the delegation that the step runs; omitted for the agent's own work. */
  readonly delegation?: string;
  /** Failure type of errors without one. Default: `Agent.Failed`. */
  readonly type?: FailureType;
  /** Whether an operator decides about this error. Default: about every error. */
  readonly when?: (error: unknown) => boolean;
}

/**
 * Runs a step. If it fails and the agent's policy is `hold`, opens an incident and waits for an operator's decision. A
 * retry repeats this step alone; everything before it stays done.
 */
export function withOperatorRetry<T>(agent: Agent, step: OperatorStep, attempt: () => Promise<T>): Promise<T> {
  return agent.settings.onFailure === 'hold' ? untilDone(agent, step, attempt) : attempt();
}

async function untilDone<T>(agent: Agent, step: OperatorStep, attempt: () => Promise<T>): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (!canAskOperator(error) || step.when?.(error) === false) throw error;
      await waitForDecision(agent, step, number, error);
    }
  }
}

/** Waits for an operator's decision. Returns if the step is to be retried, and throws otherwise. */
async function waitForDecision(agent: Agent, step: OperatorStep, attempt: number, error: unknown): Promise<void> {
  const { type, message } = rootCause(error);
  const { decision } = await agent.inbox.openIncident({
    kind: 'failure',
    type: type ?? step.type ?? 'Agent.Failed',
    message,
    attempt,
    step: step.name,
    delegation: step.delegation ?? null,
    tool: null,
  });
  // While somebody decided, others may have written to its shared session.
  if (agent.shared !== null) agent.shared.isBehind = true;
  switch (decision?.action) {
    case 'retry':
      break;
    case 'amend':
      await applyOrAskAgain(agent, step, attempt, decision.amendment);
      break;
    case 'skip':
      throw new SkippedByOperator(decision.placeholder);
    case 'abort':
      throw failure('Agent.Aborted', `Aborted by an operator${attribution(decision)}. Original failure: ${message}`);
    default:
      throw new IncidentTimedOut(error);
  }
  if (isAboutAnswer(type)) agent.progress = { ...agent.progress, tries: agent.progress.tries + 1 };
}

/** Failures that the same answer of the model would cause again. */
const answerFailures: ReadonlySet<FailureType> = new Set<FailureType>([
  'Model.BadReply',
  'Model.Refused',
  'Model.ContextExceeded',
  'Output.Invalid',
  'Handoff.Invalid',
  'Delegation.Incomplete',
]);

/**
 * Whether a retry needs another answer of the model. After any other failure, such as that of the store, it uses the
 * answer in the journal, which has been paid for. A failure without a type may have any cause.
 */
function isAboutAnswer(type: FailureType | undefined): boolean {
  return type === undefined || answerFailures.has(type);
}

/** Applies an amendment. If that fails, opens another incident before the step is retried. */
async function applyOrAskAgain(agent: Agent, step: OperatorStep, attempt: number, amendment: Amendment): Promise<void> {
  try {
    await applyAmendment(agent, amendment);
  } catch (error) {
    if (amendment.instructions !== undefined) agent.inbox.forgetInstructions(amendment.instructions);
    if (!canAskOperator(error)) throw error;
    await waitForDecision(agent, { ...step, name: `amendment of ${step.name}` }, attempt, error);
  }
}

function attribution({ by = '', note = '' }: { by?: string | undefined; note?: string | undefined }): string {
  return `${by === '' ? '' : ` (${by})`}${note === '' ? '' : `: ${note}`}`;
}

function canAskOperator(error: unknown): boolean {
  if (error instanceof SkippedByOperator || error instanceof IncidentTimedOut) return false;
  // A cancelled or expired agent must not wait for an operator.
  if (isCancellation(error) || CancellationScope.current().consideredCancelled) return false;
  return rootCause(error).type !== 'Agent.Aborted';
}
