import { type PromptDefinition, withResponseFormat } from '../../domain/prompt';
import { isNative, type ModelPort } from '../dependencies';

/** Describes the required output in a root's prompt, unless the provider enforces it by itself. */
export function describeOutput(model: ModelPort, definition: PromptDefinition): PromptDefinition {
  const { output } = definition;
  return output !== null && isNative(model, output) ? definition : withResponseFormat(definition);
}
