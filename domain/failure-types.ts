import { modelFailureTypes } from './model/failure-types';
import { promptFailureTypes } from './prompt/failure-types';
import { sessionFailureTypes } from './session/failure-types';
import { storeFailureTypes } from './store/failure-types';

export interface FailureTypeInfo {
  /** What happened, for the table in docs/reference/failure-types.md. */
  readonly meaning: string;
  readonly remedy: string;
  /** Whether Temporal tries the step again by itself. */
  readonly retryable: boolean;
}

/**
 * Every way in which a step of the engine fails on purpose. Operators read these names in the Web UI and retry policies
 * match on them, so a name, once released, stays.
 */
export const failureTypes = {
  'Input.Invalid': {
    meaning: 'A value handed to the engine is missing, malformed or out of bounds.',
    remedy: 'Correct the field that the message names and start again.',
    retryable: false,
  },
  'Payload.TooLarge': {
    meaning: 'An argument or a result of an activity is larger than the engine allows in history.',
    remedy: 'This is a defect of the tool or of the engine: large values belong in the store.',
    retryable: false,
  },
  'Agent.Failed': {
    meaning: 'A step of the agent failed for a reason that has no type of its own.',
    remedy: 'Look at the cause in the Web UI.',
    retryable: false,
  },
  'Agent.TurnLimit': {
    meaning: 'The agent used all the turns it was given without an answer.',
    remedy: 'Start again with a higher `--max-turns`, or with a smaller goal.',
    retryable: false,
  },
  'Agent.HandoffLimit': {
    meaning: 'The agent has handed over as often as it may, and its window is full again.',
    remedy: 'Give it a smaller task, or allow more with `--max-handoffs`.',
    retryable: false,
  },
  'Agent.Aborted': {
    meaning: 'An operator ended the agent while it was waiting for a decision.',
    remedy: 'None.',
    retryable: false,
  },
  'Handoff.Invalid': {
    meaning: 'An agent whose window was full did not write a usable handoff, not even when it was asked a second time.',
    remedy: 'Retry it, or amend its instructions: what is missing is in the message.',
    retryable: false,
  },
  'Budget.Exceeded': {
    meaning:
      'The next step could cost more than what is left of a budget (tokens, cost, turns), or a deadline has passed. It was not made.',
    remedy: 'Give the run more, or amend the budget of the agent that waits.',
    retryable: false,
  },
  'Output.Invalid': {
    meaning:
      'The final message of an agent does not have the strict form that its skill asks for, not even after it was told what is wrong.',
    remedy: 'Retry it, or amend its instructions: the violation is in the message.',
    retryable: false,
  },
  'Relay.Failed': {
    meaning: 'A step of a relay failed, or its verification did as often as the relay allows.',
    remedy: 'Look at the delegation that the message names.',
    retryable: false,
  },
  'Tool.Requested': {
    meaning: 'An agent asks for a tool that it was not given, and no rule answers it.',
    remedy: 'Decide with `baton approve` or `baton deny`.',
    retryable: false,
  },
  'Tool.Interrupted': {
    meaning: 'A tool that is not safe to repeat was running when its worker died. The model is told, and decides.',
    remedy: 'None.',
    retryable: false,
  },
  'Tool.Failed': {
    meaning:
      'The activity that ran a tool failed for another reason than the tool itself. The model is told, and decides.',
    remedy: 'Look at the failed activity in the Web UI.',
    retryable: false,
  },
  'Tool.ValidationError': {
    meaning:
      'A tool that the engine carries out itself was called with parameters that it cannot use. The model is told, and decides.',
    remedy: 'None.',
    retryable: false,
  },
  'Delegation.Failed': {
    meaning: 'A delegation ended without a result. Its parent is told, and goes on.',
    remedy: 'Look at the child workflow in the Web UI: its failure says why.',
    retryable: false,
  },
  'Delegation.Incomplete': {
    meaning: 'A delegation answered without leaving an artifact that was expected of it.',
    remedy: 'Retry it with the missing artifact in its instructions, or skip it.',
    retryable: false,
  },
  'Delegation.Closed': {
    meaning: 'A delegation was terminated or ran out of time. Its whole reservation counts as spent.',
    remedy: 'Retry it from the delegating agent.',
    retryable: false,
  },
  'Delegation.Other': {
    meaning: 'A workflow with the id of a delegation exists, but belongs to another parent or has another prompt.',
    remedy: 'Do not start workflows under ids of Baton by hand; start the run again under another id.',
    retryable: false,
  },
  'Tool.NotOnWorker': {
    meaning: 'The worker that took the call does not have the tool that the run was started with.',
    remedy: 'Start a worker that has the tool: the step is repeated a few times before the model is told.',
    retryable: true,
  },
  ...modelFailureTypes,
  ...promptFailureTypes,
  ...sessionFailureTypes,
  ...storeFailureTypes,
  'Worker.ShuttingDown': {
    meaning: 'The worker was told to stop in the middle of the step.',
    remedy: 'None: another worker repeats the step.',
    retryable: true,
  },
} as const satisfies Record<string, FailureTypeInfo>;

export type FailureType = keyof typeof failureTypes;

export function isFailureType(type: string | null | undefined): type is FailureType {
  return typeof type === 'string' && Object.hasOwn(failureTypes, type);
}
