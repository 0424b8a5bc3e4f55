import { type PromptDefinition, withResponseFormat } from '../../domain/prompt';
import { isNative, type ModelPort } from '../dependencies';

/** The model of an agent, and the port that serves it. */
export interface ModelInUse {
  readonly port: ModelPort;
  readonly name: string;
}

/** Describes the required output in a root's prompt, unless the provider enforces it by itself. */
export function describeOutput({ port, name }: ModelInUse, definition: PromptDefinition): PromptDefinition {
  const { output } = definition;
  return output !== null && isNative(port, output, name) ? definition : withResponseFormat(definition);
}
