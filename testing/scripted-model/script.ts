import { blocksOf, type ModelRequest, type RequestMessage } from './api';
import type { ScriptedReply } from './reply';

/** The result of a tool call, as sent to the model. */
export interface ToolResult {
  /** Id of the tool call. */
  readonly toolUseId: string;
  /** Text that the model sees. */
  readonly text: string;
  /** Whether the tool failed or refused the input. */
  readonly isError: boolean;
}

/** A tool call of the conversation. `result` is undefined until the client has sent it. */
export interface ToolExchange {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly result: ToolResult | undefined;
}

/** The parts of a request that scripts usually need. */
export interface ConversationView {
  /** The system prompt. For Baton's agents, it contains the goal or the instructions. */
  readonly systemText: string;
  /** Number of assistant messages so far. */
  readonly turn: number;
  /** Tool results in the last user message. */
  readonly toolResults: readonly ToolResult[];
  /** All tool calls of the conversation, in order. */
  readonly toolExchanges: readonly ToolExchange[];
  /** Text of the last user message that contains text. */
  readonly lastUserText: string;
  /** Text of the first user message that contains text. */
  readonly firstUserText: string;
}

/**
 * One request as a script sees it: the request itself, its position among all calls, and a view of the conversation.
 */
export interface ScriptedCall extends ConversationView {
  /** Zero-based index among the calls to this server. */
  readonly index: number;
  /** Number of earlier requests to this server with the same body. */
  readonly attempt: number;
  /** SHA-256 of the request body. */
  readonly digest: string;
  /** The request in the format of the Messages API. */
  readonly request: ModelRequest;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
}

/**
 * Plays the model: a function from a request to a reply. An async script can wait, for example for a gate that a test
 * opens. Derive the reply from the call rather than from a counter, because a request may be repeated after a crash.
 */
export type Script = (call: ScriptedCall) => ScriptedReply | Promise<ScriptedReply>;

/**
 * Replies with one reply or script per turn of the conversation. More turns than replies are an error in the script.
 * Each conversation starts at turn 0, also that of a delegation: use `scriptByDepth` for agents that delegate.
 *
 * @example
 * ```ts
 * import { say, scriptByTurn, useTool } from 'baton-agents/testing';
 *
 * export const script = scriptByTurn(
 *   useTool('list_files', { path: '.' }),
 *   (call) => say(`I found ${call.toolResults[0]?.text.split('\n').length ?? 0} files.`),
 * );
 * ```
 */
export function scriptByTurn(...replies: readonly (ScriptedReply | Script)[]): Script {
  return (call) => {
    const reply = replies[call.turn];
    if (!reply) throw new Error(`The script has ${replies.length} turns but the conversation is at turn ${call.turn}`);
    return typeof reply === 'function' ? reply(call) : reply;
  };
}

/** Precedes the parent's prompt in every prompt that was composed for a delegation, once per level. */
const parentPromptMarker = '<!-- PARENT PROMPT START -->';

/**
 * Returns how many levels below the root agent the calling agent is, or 0 for the root agent. Derived from the system
 * prompt, because each level's prompt contains the one above it. Agents with a skill count as 0: their prompt does not
 * contain their parent's.
 */
export function delegationDepth({ systemText }: Pick<ConversationView, 'systemText'>): number {
  return systemText.split(parentPromptMarker).length - 1;
}

/**
 * Plays each level of a tree of agents with its own script, the root agent's first. A call from a deeper level is an
 * error in the script.
 *
 * @example
 * ```ts
 * import { say, scriptByDepth, scriptByTurn, useTool } from 'baton-agents/testing';
 *
 * const task = { mode: 'ad_hoc', prompt_ns: 'baton', prompt_key: 'subagent', instructions: 'Count the tests.' };
 * export const script = scriptByDepth(
 *   scriptByTurn(useTool('dispatch_subagent', task), say('My subagent counted 12 tests.')),
 *   scriptByTurn(say('There are 12 tests.')),
 * );
 * ```
 */
export function scriptByDepth(...scripts: readonly Script[]): Script {
  return (call) => {
    const depth = delegationDepth(call);
    const script = scripts[depth];
    if (!script) throw new Error(`The script has ${scripts.length} levels but the agent is at depth ${depth}`);
    return script(call);
  };
}

/**
 * Replies with `trouble` to the first attempts of every request, then with the script, to simulate problems that a
 * retry solves. Attempts are counted by the body of the request, so a request that an earlier run made already is not
 * its first attempt. Give each run its own goal.
 *
 * @example
 * ```ts
 * import { failFirstAttempts, overloaded, rateLimited, say } from 'baton-agents/testing';
 *
 * export const script = failFirstAttempts([overloaded(), rateLimited({ retryAfterSeconds: 1 })], () => say('At last.'));
 * ```
 */
export function failFirstAttempts(trouble: readonly ScriptedReply[], then: Script): Script {
  return (call) => trouble[call.attempt] ?? then(call);
}

/** Blocks an async script until a test opens the gate. */
export interface Gate {
  /** Resolves when the gate is opened. */
  readonly opened: Promise<void>;
  /** Opens the gate. It cannot be closed again. */
  open(): void;
}

/**
 * Creates a closed gate, to stop a run in the middle of a model call.
 *
 * @example
 * ```ts
 * import { createGate, say, type Script } from 'baton-agents/testing';
 *
 * export const gate = createGate();
 * export const script: Script = async () => {
 *   await gate.opened;
 *   return say('Somebody called gate.open().');
 * };
 * ```
 */
export function createGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Extracts from a request what scripts usually need. */
export function viewConversation(request: ModelRequest): ConversationView {
  const users = request.messages.filter((message) => message.role === 'user');
  const userTexts = users.map((message) => textOf(message.content)).filter((text) => text !== '');
  return {
    systemText: textOf(request.system ?? ''),
    turn: request.messages.filter((message) => message.role === 'assistant').length,
    toolResults: resultsIn(users.slice(-1)),
    toolExchanges: exchangesIn(request.messages),
    lastUserText: userTexts.at(-1) ?? '',
    firstUserText: userTexts[0] ?? '',
  };
}

function textOf(content: string | readonly { readonly type: string }[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => ('text' in block && typeof block.text === 'string' ? [block.text] : [])).join('\n');
}

function resultsIn(messages: readonly RequestMessage[]): ToolResult[] {
  return messages
    .flatMap(blocksOf)
    .flatMap((block) =>
      block.type === 'tool_result'
        ? [{ toolUseId: block.tool_use_id, text: textOf(block.content ?? ''), isError: block.is_error ?? false }]
        : [],
    );
}

function exchangesIn(messages: readonly RequestMessage[]): ToolExchange[] {
  const results = new Map(resultsIn(messages).map((result) => [result.toolUseId, result]));
  return messages
    .flatMap(blocksOf)
    .flatMap((block) =>
      block.type === 'tool_use'
        ? [{ id: block.id, name: block.name, input: block.input, result: results.get(block.id) }]
        : [],
    );
}
