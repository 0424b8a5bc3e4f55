import type { ModelRequest } from './api-types';
import type { ScriptedReply } from './reply/reply';
import type { ConversationView } from './conversation';

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
