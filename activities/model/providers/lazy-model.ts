import type { ModelCapabilities } from '../../../domain/model';
import type { OutputFormat } from '../../../domain/prompt/output';
import type { ModelPort } from '../../dependencies';

/** What is known of a port before it is loaded. */
interface LazyModel {
  readonly capabilities: ModelCapabilities;
  nativeStructuredOutput(output: OutputFormat): boolean;
  /** Loads the port. Called again if it fails, because what is missing may have been added meanwhile. */
  load(): Promise<ModelPort>;
}

/** Creates a model port that is loaded when one of its models is used for the first time. */
export function lazyModel({ capabilities, nativeStructuredOutput, load }: LazyModel): ModelPort {
  let loading: Promise<ModelPort> | undefined;
  const port = async (): Promise<ModelPort> => {
    loading ??= load();
    try {
      return await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  return {
    nativeStructuredOutput,
    capabilities: () => capabilities,
    check: async (name) => (await port()).check?.(name),
    reply: async (request, signal) => (await port()).reply(request, signal),
    countTokens: async (request, signal) => (await port()).countTokens(request, signal),
  };
}
