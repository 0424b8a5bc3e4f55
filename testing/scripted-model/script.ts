import type { ModelRequest } from './api';
import { sha256 } from './call-log';
import type { ConversationView } from './conversation';
import type { ScriptedReply } from './reply/reply';

/**
 * One request as a script sees it: the request itself, its position among all calls, and a view of the conversation.
 */
export interface ScriptedCall extends ConversationView {
  /** Zero-based index among the calls to this server. */
  readonly index: number;
  /** Number of earlier requests with the same body. */
  readonly attempt: number;
  readonly digest: string;
  readonly request: ModelRequest;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
}

/**
 * Plays the model: a function from a request to a reply. An async script can wait, for example for a gate that a test
 * opens.
 */
export type Script = (call: ScriptedCall) => ScriptedReply | Promise<ScriptedReply>;

/**
 * Replies with one reply or script per turn of the conversation. More turns than replies are an error in the script.
 */
export function scriptByTurn(...replies: readonly (ScriptedReply | Script)[]): Script {
  return (call) => {
    const reply = replies[call.turn];
    if (!reply) throw new Error(`The script has ${replies.length} turns but the conversation is at turn ${call.turn}`);
    return typeof reply === 'function' ? reply(call) : reply;
  };
}

/**
 * Replies with `trouble` to the first attempts of every request, then with the script, to simulate problems that a
 * retry solves.
 */
export function failFirstAttempts(trouble: readonly ScriptedReply[], then: Script): Script {
  return (call) => trouble[call.attempt] ?? then(call);
}

/**
 * Stores one copy of each message. Every request repeats the conversation so far, so the log of a long run would
 * otherwise grow quadratically, and each message would be rendered again in every turn.
 */
export class SharedMessages {
  readonly #known = new Map<string, unknown>();

  /** Returns the request with repeated messages replaced by their first copies. The body may still be invalid. */
  share(body: unknown): unknown {
    if (typeof body !== 'object' || body === null || !('messages' in body) || !Array.isArray(body.messages))
      return body;
    return { ...body, messages: body.messages.map((message: unknown) => this.#firstCopy(message)) };
  }

  #firstCopy(message: unknown): unknown {
    const key = sha256(JSON.stringify(message));
    const known = this.#known.get(key) ?? message;
    this.#known.set(key, known);
    return known;
  }
}
