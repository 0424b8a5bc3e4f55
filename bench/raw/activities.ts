import type { ModelPort } from '../../activities/dependencies';
import { isToolCall, type Message, type ToolResultBlock } from '../../domain/model';
import type { ToolDescription } from '../../domain/tool';

/** A conversation passed by value. */
interface Conversation {
  /** Left out by agents that all have the same prompt, so that history doesn't contain it. */
  readonly system?: string;
  readonly messages: readonly Message[];
}

/** The activities of the hand-written workflows. */
export interface RawActivities {
  open(goal: string): Promise<string>;
  compose(input: { readonly parent: string; readonly input: object }): Promise<string>;
  converse(conversation: Conversation): Promise<Message>;
  runTool(input: object): Promise<string>;
  /** A whole turn: asks the model and runs its tools. Returns the reply and, unless it is an answer, the results. */
  takeTurn(conversation: Conversation): Promise<readonly Message[]>;
}

/** Dependencies of `createRawActivities`. */
export interface RawDependencies {
  readonly model: ModelPort;
  readonly tools?: readonly ToolDescription[];
  /** Runs a tool. Default: returns its input. */
  readonly runTool?: (input: object) => Promise<string>;
}

const settings = { name: 'claude-sonnet-5-5', maxTokens: 30_000, window: 200_000 };

/** As long as what Baton adds to a prompt: available tools, their costs, expectations. */
const rules = 'Look before you conclude, and say what your statements rest on. '.repeat(80);
const rootPrompt = `You are an agent.\n${rules.slice(0, 2_400)}`;

/** Creates the activities of the hand-written workflows. */
export function createRawActivities({ model, tools = [], runTool }: RawDependencies): RawActivities {
  const run = (input: object): Promise<string> => runTool?.(input) ?? Promise.resolve(JSON.stringify(input));
  const converse = async ({ system = rootPrompt, messages }: Conversation): Promise<Message> => {
    const request = { settings, system, tools, messages };
    const { content } = await model.reply(request, AbortSignal.timeout(60_000));
    return { role: 'assistant', content };
  };
  return {
    open: (goal) => Promise.resolve(`${rootPrompt}\n${goal}`),
    compose: ({ parent, input }) =>
      Promise.resolve(
        `${JSON.stringify(input)}\n<!-- PARENT PROMPT START -->\n${parent}\n<!-- PARENT PROMPT END -->\n${rules}`,
      ),
    converse,
    runTool: run,
    async takeTurn(conversation) {
      const reply = await converse(conversation);
      const calls = reply.content.filter(isToolCall);
      if (calls.length === 0) return [reply];
      const results = calls.map(async ({ id, input }): Promise<ToolResultBlock> => ({
        type: 'toolResult',
        callId: id,
        isError: false,
        text: await run(input as object),
      }));
      return [reply, { role: 'user', content: await Promise.all(results) }];
    },
  };
}
