/** What can go wrong with a call of the model; part of the one table in `domain/failure-types.ts`, which also checks its form. */
export const modelFailureTypes = {
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
    remedy:
      'Set a valid `ANTHROPIC_API_KEY` for the worker, restart it, then retry what waits, or start the run again.',
    retryable: false,
  },
  'Model.SpendLimit': {
    meaning: 'The spend limit of the account is reached (402, or a 429 that says so).',
    remedy: 'Raise the limit with the provider, then retry what waits, or start the run again.',
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
} as const;
