import type { ModelRequest } from './api-types';
import type { ScriptedReply } from './reply/reply';
import type { ConversationView } from './conversation';

/** One request as a script sees it: the request itself, its place in the server's life, and the usual questions about it. */
export interface ScriptedCall extends ConversationView {
  /** 0 for the first call that a script of this server answered. */
  readonly index: number;
  /** How often the same request body had come before. */
  readonly attempt: number;
  readonly digest: string;
  readonly request: ModelRequest;
  /** Aborts when the client goes away or the server closes. */
  readonly signal: AbortSignal;
}

/** Plays the model: a function of the request and of whatever it closes over; async ones can be held back by a test. */
export type Script = (call: ScriptedCall) => ScriptedReply | Promise<ScriptedReply>;

/** One reply (or script) per turn of the conversation; asking beyond the last is a mistake of the script. */
export function inTurns(...replies: readonly (ScriptedReply | Script)[]): Script {
  return (call) => {
    const reply = replies[call.turn];
    if (!reply) throw new Error(`The script has ${replies.length} turns but the conversation is at turn ${call.turn}`);
    return typeof reply === 'function' ? reply(call) : reply;
  };
}

/** The given replies for the first attempts of every request, then the script: trouble that a retry overcomes. */
export function afterTrouble(trouble: readonly ScriptedReply[], then: Script): Script {
  return (call) => trouble[call.attempt] ?? then(call);
}
