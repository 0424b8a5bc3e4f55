/**
 * Failure types of model calls. `index.ts` merges them into the complete table and checks their type.
 */
export const modelFailureTypes = {
  'Model.RateLimited': {
    meaning: 'The provider answered 429.',
    remedy: 'No action needed: the call is retried after the delay that the provider requested.',
    retryable: true,
  },
  'Model.AtLimit': {
    meaning: 'The limit that the worker keeps for the model leaves no room for the call yet. It is not an attempt.',
    remedy: 'No action needed: the call is made when there is room. `baton limits show` shows the limits.',
    retryable: true,
  },
  'Model.Overloaded': {
    meaning: 'The provider answered 529.',
    remedy: 'No action needed: the call is retried with increasing delays.',
    retryable: true,
  },
  'Model.ServerError': {
    meaning: 'The provider answered with a 5xx status, or with an error in the middle of a stream.',
    remedy: 'No action needed: the call is retried with increasing delays.',
    retryable: true,
  },
  'Model.TimedOut': {
    meaning: 'The provider answered 408, or did not answer before the timeout.',
    remedy: 'No action needed: the call is retried with increasing delays.',
    retryable: true,
  },
  'Model.Conflict': {
    meaning: 'The provider answered 409.',
    remedy: 'No action needed: the call is retried with increasing delays.',
    retryable: true,
  },
  'Model.Unreachable': {
    meaning: 'The connection to the provider failed, or was lost before the reply was complete.',
    remedy:
      'No action needed: the call is retried. If the failure persists, check the network and the base URL (`ANTHROPIC_BASE_URL`, `BATON_OPENAI_BASE_URL`).',
    retryable: true,
  },
  'Model.BadRequest': {
    meaning: 'The provider refused the request (400, 422 and other 4xx).',
    remedy: 'Read the message. The cause is usually the model name or one of its settings.',
    retryable: false,
  },
  'Model.NotFound': {
    meaning: 'The provider does not have the model, or the key may not see it (404).',
    remedy: 'Check the name of the model: `baton amend <run> --model <name>`, or start the run with another one.',
    retryable: false,
  },
  'Model.RequestTooLarge': {
    meaning: 'The provider refused the request because of its size (413).',
    remedy: 'Make the agent read less at a time.',
    retryable: false,
  },
  'Model.Unauthorized': {
    meaning: 'The provider did not accept the API key (401), or the key may not use this model (403).',
    remedy:
      'Set a valid `ANTHROPIC_API_KEY`, or the key of the provider of the model, for the worker and restart it. Then retry the waiting agents, or start the run again.',
    retryable: false,
  },
  'Model.Unavailable': {
    meaning:
      'The worker cannot use the model: its provider is unknown to the worker, or the package of the provider is not installed.',
    remedy: 'Read the message: it names the package to install, or the providers that the worker knows.',
    retryable: false,
  },
  'Model.SpendLimit': {
    meaning: 'The account has reached its spend limit (402, or a 429 that says so).',
    remedy: 'Raise the limit with the provider. Then retry the waiting agents, or start the run again.',
    retryable: false,
  },
  'Model.BadReply': {
    meaning: 'The model answered several times in a row with replies that cannot be used.',
    remedy:
      'Retry the agent, which requests new replies, or amend its model. The message says what is wrong with them.',
    retryable: false,
  },
  'Model.Refused': {
    meaning: 'The model declined to continue.',
    remedy: 'Change the goal, or the material that the agent works on.',
    retryable: false,
  },
  'Model.ContextExceeded': {
    meaning: 'The conversation no longer fits into the context window of the model.',
    remedy: 'Split the goal, or use a model with a larger context window.',
    retryable: false,
  },
} as const;
