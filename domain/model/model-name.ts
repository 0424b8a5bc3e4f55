import { z } from 'zod';

/** Provider of models whose name has no prefix. */
export const defaultProvider = 'anthropic';

/** Name of a model, such as `claude-sonnet-5-5` or `openai:gpt-5`. */
export const modelNameSchema = z
  .string()
  .regex(/^[^\s\p{Cc}]{1,200}$/u, 'must be a name without spaces, of at most 200 characters');

/** A model, and the provider that serves it. */
export interface ParsedModelName {
  readonly provider: string;
  /** The name that the provider knows. */
  readonly model: string;
}

/** Splits `openai:gpt-5` at the first colon. A name without one is a model of the default provider. */
export function parseModelName(name: string): ParsedModelName {
  const [, provider = defaultProvider, model = name] = /^([a-z][a-z0-9-]*):(.+)$/s.exec(name) ?? [];
  return { provider, model };
}
