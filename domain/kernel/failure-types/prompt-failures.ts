/** Failure types of prompts. `index.ts` merges all tables and checks their type. */
export const promptFailureTypes = {
  'Prompt.MissingParent': {
    meaning: 'A delegation was requested without the prompt of the delegating agent, or with an empty prompt.',
    remedy: 'Pass the prompt of the parent exactly as it was rendered.',
    retryable: false,
  },
  'Prompt.InvalidTooling': {
    meaning:
      'The tools of a delegation are described incompletely or inconsistently: a field is missing, a name occurs twice, or a change of access is not explained in both places.',
    remedy: 'Complete the field that the message names.',
    retryable: false,
  },
  'Prompt.TooLarge': {
    meaning:
      'The composed prompt exceeds its limit in bytes or tokens, or leaves the agent too little of its context window to work in. Prompts are never truncated.',
    remedy: 'Shorten the part that the message names, or raise the limit.',
    retryable: false,
  },
  'Prompt.MultiLine': {
    meaning: 'A field that must be one line has several.',
    remedy: 'Write it as one sentence.',
    retryable: false,
  },
  'Prompt.SeveralSentences': {
    meaning: 'A field that must be one sentence has several.',
    remedy: 'Write it as one sentence.',
    retryable: false,
  },
  'Prompt.MarkerInField': {
    meaning: 'A field of a delegation contains a marker that only the embedded parent prompt may contain.',
    remedy: 'Remove the marker from the field.',
    retryable: false,
  },
  'Prompt.ReservedHeading': {
    meaning: 'A field of a delegation contains one of the headings that structure the composed prompt.',
    remedy: 'Use another heading, or a deeper one.',
    retryable: false,
  },
  'Prompt.PlaceholderInField': {
    meaning: 'A field of a delegation contains `${name}`, a parameter that an ancestor has already bound.',
    remedy: 'Write the value, which the message gives, instead of the placeholder.',
    retryable: false,
  },
  'Prompt.InvalidUnicode': {
    meaning: 'A text contains an unpaired surrogate and has no UTF-8 form.',
    remedy: 'Send the complete text again.',
    retryable: false,
  },
  'Prompt.UnknownSection': {
    meaning: 'A redaction or an override names a section that the prompt does not have.',
    remedy: 'Use one of the sections that the message lists.',
    retryable: false,
  },
  'Prompt.InvalidSections': {
    meaning: 'The section index of a prompt does not match its text.',
    remedy: 'Pass the section index of the rendered prompt unchanged.',
    retryable: false,
  },
  'Prompt.InvalidRedaction': {
    meaning: 'A redaction has no reason, occurs twice, or would remove a marker line from the parent prompt.',
    remedy: 'Correct the redaction that the message names.',
    retryable: false,
  },
  'Prompt.NotVerbatim': {
    meaning: 'The parent prompt could not be extracted unchanged from the composed prompt.',
    remedy: 'This is a bug in Baton. Nothing was started.',
    retryable: false,
  },
  'Prompt.NothingEmbedded': {
    meaning: 'A text that should contain a parent prompt between markers does not.',
    remedy: 'Pass the whole text of a composed prompt.',
    retryable: false,
  },
  'Prompt.InvalidDefinition': {
    meaning: 'A prompt definition is invalid.',
    remedy: 'Correct the field that the message names.',
    retryable: false,
  },
  'Prompt.Duplicate': {
    meaning: 'Two prompt definitions have the same namespace and key.',
    remedy: 'Rename one of them.',
    retryable: false,
  },
  'Prompt.Unknown': {
    meaning: 'No prompt definition has this namespace and key.',
    remedy: 'Choose one of the prompts that the message lists.',
    retryable: false,
  },
  'Prompt.Disabled': {
    meaning: 'The prompt definition exists, but is disabled.',
    remedy: 'Choose another prompt, or enable it.',
    retryable: false,
  },
  'Prompt.MissingParameter': {
    meaning: 'A template requires a parameter that was not provided.',
    remedy: 'Provide the parameter that the message names.',
    retryable: false,
  },
  'Prompt.UnknownParameter': {
    meaning: 'A parameter was provided that the prompt does not declare.',
    remedy: 'Remove the parameter, or declare it.',
    retryable: false,
  },
  'Prompt.InvalidParameter': {
    meaning: 'The value of a parameter does not have the required format.',
    remedy: 'Correct the value of the parameter that the message names.',
    retryable: false,
  },
  'Prompt.StaleOverride': {
    meaning: 'An override was written for a different version of the section.',
    remedy: 'Review the current section, adapt the override, and set `replaces` to the new hash.',
    retryable: false,
  },
  'Prompt.OverrideRefused': {
    meaning: 'The section does not accept overrides.',
    remedy: 'Remove the override, or set `acceptsOverrides` in the definition.',
    retryable: false,
  },
} as const;
