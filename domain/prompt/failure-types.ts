/** What can go wrong with a prompt; part of the one table in `domain/failure-types.ts`, which also checks its form. */
export const promptFailureTypes = {
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
} as const;
