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
  'Model.RateLimited': {
    meaning: 'The provider answered 429.',
    remedy: 'None: the call is repeated after the delay the provider asked for.',
    retryable: true,
  },
  'Model.Overloaded': {
    meaning: 'The provider answered 529.',
    remedy: 'None: the call is repeated with growing delays.',
    retryable: true,
  },
  'Model.ServerError': {
    meaning: 'The provider answered with a 5xx status, or with an error in the middle of a stream.',
    remedy: 'None: the call is repeated with growing delays.',
    retryable: true,
  },
  'Model.TimedOut': {
    meaning: 'The provider answered 408, or nothing at all in the time allowed.',
    remedy: 'None: the call is repeated with growing delays.',
    retryable: true,
  },
  'Model.Conflict': {
    meaning: 'The provider answered 409.',
    remedy: 'None: the call is repeated with growing delays.',
    retryable: true,
  },
  'Model.Unreachable': {
    meaning: 'The connection to the provider failed, or broke before the answer was complete.',
    remedy: 'None: the call is repeated. If it goes on, check the network and `ANTHROPIC_BASE_URL`.',
    retryable: true,
  },
  'Model.BadRequest': {
    meaning: 'The provider refused the request (400, 404, 422 and other 4xx).',
    remedy: 'Read the message: it is usually the model name or one of its settings.',
    retryable: false,
  },
  'Model.RequestTooLarge': {
    meaning: 'The provider refused the request because of its size (413).',
    remedy: 'Give the agent less to read at a time.',
    retryable: false,
  },
  'Model.Unauthorized': {
    meaning: 'The provider did not accept the API key (401), or does not allow it this model (403).',
    remedy: 'Set a valid `ANTHROPIC_API_KEY` for the worker, restart it, and start the run again.',
    retryable: false,
  },
  'Model.SpendLimit': {
    meaning: 'The spend limit of the account is reached (402, or a 429 that says so).',
    remedy: 'Raise the limit with the provider, then start the run again.',
    retryable: false,
  },
  'Model.Refused': {
    meaning: 'The model declined to go on.',
    remedy: 'Change the goal or the material that the agent works on.',
    retryable: false,
  },
  'Model.ContextExceeded': {
    meaning: 'The conversation no longer fits into the window of the model.',
    remedy: 'Split the goal, or choose a model with a larger window.',
    retryable: false,
  },
  'Agent.TurnLimit': {
    meaning: 'The agent used all the turns it was given without an answer.',
    remedy: 'Start again with a higher `--max-turns`, or with a smaller goal.',
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
  'Store.BlobMissing': {
    meaning: 'A content that the run refers to is not in the store.',
    remedy:
      'Was the run deleted by `baton gc`, or its folder moved? Put the file back and reset the run, or start it again.',
    retryable: false,
  },
  'Store.BlobCorrupt': {
    meaning: 'A content in the store does not have the hash it was stored under.',
    remedy:
      'The disk or something else changed the file. Restore it from a backup and reset the run, or start it again.',
    retryable: false,
  },
  'Store.Full': {
    meaning: 'The disk of the store is full.',
    remedy: 'Make room, for example with `baton gc`: the step goes on by itself.',
    retryable: true,
  },
  'Store.Unavailable': {
    meaning: 'The store cannot be read or written.',
    remedy: 'Look at the permissions of the store folder (`baton doctor`): the step goes on by itself once it works.',
    retryable: true,
  },
  'Store.Other': {
    meaning: 'The worker has another store than the one in which the run keeps its data.',
    remedy: 'Give the worker the same `BATON_STORE_DIR`: the step goes on by itself on a worker that has it.',
    retryable: true,
  },
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
