import type { ModelPort } from '../../activities/dependencies';
import type { Message } from '../../domain/model';
import type { ToolDescription } from '../../domain/tool';

/** A conversation passed by value. */
interface Conversation {
  readonly system: string;
  readonly messages: readonly Message[];
}

/** The activities of the hand-written workflows. */
export interface RawActivities {
  open(): Promise<string>;
  compose(input: { readonly parent: string; readonly input: object }): Promise<string>;
  converse(conversation: Conversation): Promise<Message>;
  runTool(input: object): Promise<string>;
  makeNoise(seed: number): Promise<string>;
  doNothing(): Promise<void>;
}

/** Dependencies of `createRawActivities`. */
export interface RawDependencies {
  readonly model: ModelPort;
  readonly tools?: readonly ToolDescription[];
  readonly makeNoise?: (seed: number) => Promise<string>;
}

const settings = { name: 'claude-sonnet-5-5', maxTokens: 30_000, window: 200_000 };

/** As long as what Baton adds to a prompt: available tools, their costs, expectations. */
const rules = 'Look before you conclude, and say what your statements rest on. '.repeat(80);

/** Creates the activities of the hand-written workflows. */
export function createRawActivities({ model, tools = [], makeNoise }: RawDependencies): RawActivities {
  return {
    open: () => Promise.resolve(`You are an agent.\n${rules.slice(0, 2_400)}`),
    compose: ({ parent, input }) =>
      Promise.resolve(
        `${JSON.stringify(input)}\n<!-- PARENT PROMPT START -->\n${parent}\n<!-- PARENT PROMPT END -->\n${rules}`,
      ),
    runTool: (input) => Promise.resolve(JSON.stringify(input)),
    makeNoise: (seed) => makeNoise?.(seed) ?? Promise.resolve(''),
    doNothing: () => Promise.resolve(),
    async converse({ system, messages }) {
      const request = { settings, system, tools, messages };
      const { content } = await model.reply(request, AbortSignal.timeout(60_000));
      return { role: 'assistant', content };
    },
  };
}
