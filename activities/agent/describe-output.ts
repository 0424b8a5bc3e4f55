import { type PromptDefinition, withResponseFormat } from '../../domain/prompt';
import { isNative, type ModelPort } from '../dependencies';

/** The model of an agent, and the port that serves it. */
export interface ModelInUse {
  readonly port: ModelPort;
  readonly name: string;
  /** Models that may take over. Default: none. */
  readonly fallback?: readonly string[] | undefined;
}

/** Describes the required output in a root's prompt, unless every provider that may be used enforces it by itself. */
export function describeOutput(
  { port, name, fallback = [] }: ModelInUse,
  definition: PromptDefinition,
): PromptDefinition {
  const { output } = definition;
  return output !== null && isNative(port, output, name, ...fallback) ? definition : withResponseFormat(definition);
}
