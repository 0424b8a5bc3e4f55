import type { ModelPort } from '../../activities/ports';
import type { Message } from '../../domain/model/messages';
import type { ToolDescription } from '../../domain/tool/description';

/** What the hand-written workflows ask for: the same steps as Baton's, each with no more work than it can't do without. */
export interface RawActivities {
  open(): Promise<string>;
  compose(task: number): Promise<string>;
  askModel(prompt: string): Promise<string>;
  runTool(input: string): Promise<string>;
  converse(messages: readonly Message[]): Promise<Message>;
  makeNoise(seed: number): Promise<string>;
}

export interface RawDependencies {
  readonly model: ModelPort;
  readonly tools?: readonly ToolDescription[];
  readonly makeNoise?: (seed: number) => Promise<string>;
}

const settings = { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000 };

export function createRawActivities({ model, tools = [], makeNoise }: RawDependencies): RawActivities {
  const ask = async (messages: readonly Message[]): Promise<Message> => {
    const { content } = await model.reply({ settings, system: 'raw', tools, messages }, AbortSignal.timeout(60_000));
    return { role: 'assistant', content };
  };
  return {
    open: () => Promise.resolve('opened'),
    compose: (task) => Promise.resolve(`task ${task}`),
    runTool: (input) => Promise.resolve(`done: ${input}`),
    askModel: async (text) => JSON.stringify(await ask([{ role: 'user', content: [{ type: 'text', text }] }])),
    converse: ask,
    makeNoise: (seed) => makeNoise?.(seed) ?? Promise.resolve(''),
  };
}
