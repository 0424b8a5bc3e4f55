/** What a model's provider can do. The engine replaces what is missing. */
export interface ModelCapabilities {
  /** Whether it counts the tokens of a request before the request is made. Otherwise limits use an upper bound. */
  readonly countsTokens: boolean;
  /** Whether it makes the model answer in a JSON schema. Otherwise the prompt describes the format. */
  readonly structuredOutput: boolean;
  /** Whether it can keep the model from calling tools. Otherwise calls that are not wanted are refused. */
  readonly toolChoice: boolean;
  /** Whether it ends a reply at a stop sequence. Otherwise text after the end of an answer is cut off. */
  readonly stopSequences: boolean;
}

const missing: Readonly<Record<keyof ModelCapabilities, string>> = {
  countsTokens: 'no token counting (limits use estimates)',
  structuredOutput: 'no structured output (the prompt describes the format, and Baton checks it)',
  toolChoice: 'no tool choice (Baton refuses calls that are not wanted)',
  stopSequences: 'no stop sequences (Baton checks where an answer ends)',
};

/** Describes in a few words each what a provider cannot do. */
export function missingCapabilities(capabilities: ModelCapabilities): readonly string[] {
  const names = Object.keys(missing) as (keyof ModelCapabilities)[];
  return names.filter((name) => !capabilities[name]).map((name) => missing[name]);
}
