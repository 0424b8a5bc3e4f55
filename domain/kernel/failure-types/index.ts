import { mcpFailureTypes } from './mcp-failures';
import { modelFailureTypes } from './model-failures';
import { promptFailureTypes } from './prompt-failures';
import { sessionFailureTypes } from './session-failures';

/** Failure types of the store. */
const storeFailureTypes = {
  'Store.BlobMissing': {
    meaning: 'A blob that the run refers to is not in the store.',
    remedy:
      'Check whether `baton gc` deleted the run or its folder was moved. Restore the file and reset the run, or start the run again.',
    retryable: false,
  },
  'Store.BlobCorrupt': {
    meaning: 'The content of a blob in the store does not match its hash.',
    remedy:
      'The disk or another program changed the file. Restore it from a backup and reset the run, or start the run again.',
    retryable: false,
  },
  'Store.Full': {
    meaning: 'The disk of the store is full.',
    remedy: 'Free space, for example with `baton gc`. The run continues by itself once there is space.',
    retryable: true,
  },
  'Store.Unavailable': {
    meaning: 'The store cannot be read or written.',
    remedy:
      'Check the store folder with `baton doctor`: whether its volume is mounted and writable. The run continues by itself once it is.',
    retryable: true,
  },
  'Store.Other': {
    meaning: 'The worker uses a different store from the one that holds the data of the run.',
    remedy: 'Set the same `BATON_STORE` for the worker. The run continues by itself once a worker has that store.',
    retryable: true,
  },
  'Encryption.KeyMissing': {
    meaning: 'Something is encrypted with a key that the process does not have.',
    remedy:
      'Add the key that the message names to `BATON_ENCRYPTION_KEYS`. The run continues by itself once a worker has it.',
    retryable: true,
  },
  'Encryption.Damaged': {
    meaning: 'Something is encrypted with a key of a known name, but can not be decrypted with it.',
    remedy:
      'Check that all workers and clients have the same key under this name. If they do, the data was changed: restore it from a backup.',
    retryable: false,
  },
} as const;

/** One row of docs/reference/failure-types.md. */
export interface FailureTypeInfo {
  /** Describes what happened, in whole sentences. */
  readonly meaning: string;
  /** Instructions for the operator. 'None.' when there is nothing to do; `baton` then prints no remedy. */
  readonly remedy: string;
  /** Whether Temporal retries the step automatically. */
  readonly retryable: boolean;
}

/**
 * All failure types that steps of the engine throw deliberately. Operators read these names in the Web UI and retry
 * policies match on them, so a released name never changes.
 */
export const failureTypes = {
  'Input.Invalid': {
    meaning: 'A value passed to the engine is missing, malformed or out of bounds.',
    remedy: 'Correct the field that the message names and start again.',
    retryable: false,
  },
  'Payload.TooLarge': {
    meaning: 'An argument or a result of an activity is larger than the engine allows in workflow history.',
    remedy: 'This is a bug in the tool or in the engine. Large values belong in the store.',
    retryable: false,
  },
  'Agent.Failed': {
    meaning: 'A step of the agent failed for a reason that has no failure type of its own.',
    remedy: 'Check the cause in the Web UI.',
    retryable: false,
  },
  'Agent.TurnLimit': {
    meaning: 'The agent used all of its turns without reaching an answer.',
    remedy: 'Continue it with more turns: `baton amend <run> --turns 10`. Or start a run with a smaller goal.',
    retryable: false,
  },
  'Agent.Stuck': {
    meaning:
      'The agent continued to make the same calls, with the same results, after it had been told that it repeats itself.',
    remedy:
      'Tell it what to do instead: `baton amend <run> --instructions "…"`. Or let it continue as it is: `baton retry <run>`. `--max-repeats` sets the limit of a run.',
    retryable: false,
  },
  'Agent.HandoffLimit': {
    meaning: 'The agent has used all of its handoffs, and its context window is full again.',
    remedy: 'Use a smaller goal, or allow more handoffs with `--max-handoffs`.',
    retryable: false,
  },
  'Agent.Aborted': {
    meaning: 'An operator ended the agent while it was waiting for a decision.',
    remedy: 'None.',
    retryable: false,
  },
  'Handoff.Invalid': {
    meaning: 'An agent whose context window was full did not write a usable handoff, even after a second request.',
    remedy: 'Retry the agent, or amend its instructions. The message says what is missing.',
    retryable: false,
  },
  'Budget.Exceeded': {
    meaning:
      'The next step could exceed the remaining budget (tokens, cost or turns), or the deadline has passed. The step was not started.',
    remedy:
      'Continue it with a larger budget or a later deadline: `baton amend <run> --budget-usd 1`, `--deadline 1h`.',
    retryable: false,
  },
  'Output.Invalid': {
    meaning:
      'The final message of an agent does not match the output format of its skill, even after a request to correct it.',
    remedy: 'Retry the agent, or amend its instructions. The message describes the violation.',
    retryable: false,
  },
  'Relay.Failed': {
    meaning: 'A step of a relay failed, or reached its loop limit without meeting its condition.',
    remedy: 'Check the delegation that the message names.',
    retryable: false,
  },
  'Tool.Requested': {
    meaning: 'An agent requested a tool that it was not given, and no rule of the run grants or denies it.',
    remedy: 'Decide with `baton approve` or `baton deny`.',
    retryable: false,
  },
  'Tool.NeedsApproval': {
    meaning: 'An agent wants to make a call that an operator has to approve.',
    remedy: 'Decide with `baton approve` or `baton deny`. All arguments: `baton show <run> --incident <id>`.',
    retryable: false,
  },
  'Tool.Denied': {
    meaning:
      'An operator denied a call, or nobody approved it in time. The model sees this with the reason and decides how to continue.',
    remedy: 'None.',
    retryable: false,
  },
  'Agent.Question': {
    meaning: 'An agent asked a question with `ask_operator`.',
    remedy: 'Answer with `baton answer`.',
    retryable: false,
  },
  'Notify.Rejected': {
    meaning:
      'The address that should be told about an incident refused the request, or is not usable. The agent waits for an operator all the same.',
    remedy: 'Correct the address of the run (`--notify-url`) or the environment variable of the worker that it names.',
    retryable: false,
  },
  'Notify.Unreachable': {
    meaning: 'The address that should be told about an incident did not answer, or answered with an error of its own.',
    remedy: 'Check that the workers can reach the address. The request is repeated for some minutes.',
    retryable: true,
  },
  'Tool.Restricted': {
    meaning:
      'A call violates a restriction of the tool: its arguments, the number of calls, or the approval of an operator. The model sees this and decides how to continue.',
    remedy: 'None.',
    retryable: false,
  },
  'Tool.Interrupted': {
    meaning:
      'A tool that is not safe to repeat was running when its worker died. The model sees this and decides how to continue.',
    remedy: 'None.',
    retryable: false,
  },
  'Tool.Failed': {
    meaning:
      'The activity that ran a tool failed for a reason other than the tool itself. The model sees this and decides how to continue.',
    remedy: 'Check the failed activity in the Web UI.',
    retryable: false,
  },
  'Tool.ValidationError': {
    meaning:
      'A tool that runs in the workflow itself was called with invalid parameters. The model sees this and decides how to continue.',
    remedy: 'None.',
    retryable: false,
  },
  'Delegation.Failed': {
    meaning: 'A delegation ended without a result. Its parent sees this and continues.',
    remedy: 'Check the failure of the child workflow in the Web UI.',
    retryable: false,
  },
  'Delegation.Incomplete': {
    meaning: 'A delegation answered without writing an expected artifact.',
    remedy: 'Amend its instructions to name the missing artifact, or skip it.',
    retryable: false,
  },
  'Delegation.Closed': {
    meaning: 'A delegation was terminated or timed out. Its entire reservation counts as spent.',
    remedy: 'Retry it from the delegating agent.',
    retryable: false,
  },
  'Delegation.ParentClosed': {
    meaning:
      'A delegation found out that its parent has ended: after a reset, the server does not terminate delegations with it. Whatever the delegation would have answered, nobody waits for it.',
    remedy: 'None. To continue the work, reset the run: it starts the delegation again.',
    retryable: false,
  },
  'Delegation.Running': {
    meaning:
      'Not a failure: after a reset, the agent waits for a delegation or a shared session that its earlier execution started. Every attempt looks once whether it has ended.',
    remedy: 'None.',
    retryable: true,
  },
  'Delegation.Other': {
    meaning:
      'A workflow with the id of a delegation already exists, but belongs to a different parent or has a different prompt.',
    remedy: 'Start the run again under a different id, and never start workflows with Baton ids by hand.',
    retryable: false,
  },
  'Command.NoSandbox': {
    meaning: 'A run or a skill grants commands, and the worker has no sandbox to run them in.',
    remedy:
      'Install bubblewrap on the machine of the worker, set `BATON_SANDBOX=docker:<image>` or `podman:<image>`, or declare the machine to be a sandbox with `baton worker --unsafe-commands`. `baton doctor` shows what is available. Then start the run again.',
    retryable: false,
  },
  'Tool.NotOnWorker': {
    meaning: 'The worker that picked up the call does not have a tool that the run was started with.',
    remedy: 'Start a worker that has the tool. The call is retried a few times before the model sees the failure.',
    retryable: true,
  },
  ...mcpFailureTypes,
  ...modelFailureTypes,
  ...promptFailureTypes,
  ...sessionFailureTypes,
  ...storeFailureTypes,
  'Worker.Lost': {
    meaning: 'At every attempt at a step, its worker died or did not finish in time.',
    remedy:
      'Check the logs of the workers, and whether they have enough memory. Then retry the agent, or reset the run.',
    retryable: false,
  },
  'Worker.ShuttingDown': {
    meaning: 'The worker was shut down in the middle of the step.',
    remedy: 'No action needed: another worker repeats the step.',
    retryable: true,
  },
} as const satisfies Record<string, FailureTypeInfo>;

/** A documented failure type. */
export type FailureType = keyof typeof failureTypes;

/** Returns true for a type of `failureTypes`, and false for types that other code or Temporal uses. */
export function isFailureType(type: string | null | undefined): type is FailureType {
  return typeof type === 'string' && Object.hasOwn(failureTypes, type);
}
