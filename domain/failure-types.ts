import { sessionFailureTypes } from './session/failure-types';

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
  'Prompt.MissingParent': {
    meaning: 'A delegation was asked for without the prompt of the delegating agent, or with an empty one.',
    remedy: 'Give the prompt of the parent exactly as it was rendered.',
    retryable: false,
  },
  'Prompt.InvalidTooling': {
    meaning:
      'The tools of a delegation are described incompletely or in contradiction: a field is missing, a name occurs twice, or a change of access is not explained in both places.',
    remedy: 'Complete the field that the message names.',
    retryable: false,
  },
  'Prompt.TooLarge': {
    meaning: 'The composed prompt is larger than its limit in bytes or tokens. Prompts are never cut.',
    remedy: 'Shorten the field that the message names, or raise the limit.',
    retryable: false,
  },
  'Prompt.MultiLine': {
    meaning: 'A field that must be one line has several.',
    remedy: 'Write it as one sentence.',
    retryable: false,
  },
  'Prompt.MarkerInField': {
    meaning: 'A field of a delegation contains a marker that only the embedded parent prompt may contain.',
    remedy: 'Take the marker out of the field.',
    retryable: false,
  },
  'Prompt.ReservedHeading': {
    meaning: 'A field of a delegation contains one of the headings that structure the composed prompt.',
    remedy: 'Use another heading, or a deeper one.',
    retryable: false,
  },
  'Prompt.PlaceholderInField': {
    meaning: 'A field of a delegation mentions a parameter as `${name}` that an ancestor has already bound.',
    remedy: 'Write the value, which the message gives, instead of the placeholder.',
    retryable: false,
  },
  'Prompt.InvalidUnicode': {
    meaning: 'A text contains half a surrogate pair and has no UTF-8 form.',
    remedy: 'Send the text again, whole.',
    retryable: false,
  },
  'Prompt.UnknownSection': {
    meaning: 'A redaction or an override names a section that the prompt does not have.',
    remedy: 'Name one of the sections that the message lists.',
    retryable: false,
  },
  'Prompt.InvalidSections': {
    meaning: 'The section index of a prompt does not fit its text.',
    remedy: 'Pass the index exactly as it came with the rendered prompt.',
    retryable: false,
  },
  'Prompt.InvalidRedaction': {
    meaning: 'A redaction has no reason, is given twice, or would take a marker line out of the parent prompt.',
    remedy: 'Correct the redaction that the message names.',
    retryable: false,
  },
  'Prompt.NotVerbatim': {
    meaning: 'The parent prompt could not be taken out of the composed one as it was put in.',
    remedy: 'This is a defect of the engine: nothing was started.',
    retryable: false,
  },
  'Prompt.NothingEmbedded': {
    meaning: 'A text that should contain a parent prompt between markers does not.',
    remedy: 'Give the whole text of a composed prompt.',
    retryable: false,
  },
  'Prompt.InvalidDefinition': {
    meaning: 'A prompt definition is malformed.',
    remedy: 'Correct the field that the message names.',
    retryable: false,
  },
  'Prompt.Duplicate': {
    meaning: 'Two prompt definitions have the same namespace and key.',
    remedy: 'Rename one of them.',
    retryable: false,
  },
  'Prompt.Unknown': {
    meaning: 'There is no prompt definition with that namespace and key.',
    remedy: 'Choose one of the prompts that the message lists.',
    retryable: false,
  },
  'Prompt.Disabled': {
    meaning: 'The prompt definition exists, but is disabled.',
    remedy: 'Choose another prompt, or enable it.',
    retryable: false,
  },
  'Prompt.MissingParameter': {
    meaning: 'A template needs a parameter that nobody has given.',
    remedy: 'Give the parameter that the message names.',
    retryable: false,
  },
  'Prompt.UnknownParameter': {
    meaning: 'A parameter was given that the prompt does not declare.',
    remedy: 'Leave it out, or declare it.',
    retryable: false,
  },
  'Prompt.InvalidParameter': {
    meaning: 'The value of a parameter does not have the form that the prompt asks for.',
    remedy: 'Correct the value of the parameter that the message names.',
    retryable: false,
  },
  'Prompt.StaleOverride': {
    meaning: 'An override replaces another version of the section than the one that is there now.',
    remedy: 'Look at the section as it is, adapt the override, and name the new hash.',
    retryable: false,
  },
  'Prompt.OverrideRefused': {
    meaning: 'The section does not accept overrides.',
    remedy: 'Leave the override out, or set `acceptsOverrides` in the definition.',
    retryable: false,
  },
  ...sessionFailureTypes,
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
