import { sha256Hex } from '../kernel';
import type { ToolCall } from './call';

/** Identifies the reply that a tool call is part of: the agent's first execution, and the call to its model. */
interface ReplyIdentity {
  readonly execution: string;
  /** Zero-based index of the call to the model. */
  readonly call: number;
  /** Number of times that an operator had a call repeated. */
  readonly try: number;
}

/**
 * Computes the idempotency key of a tool call: a UUID of version 8, whose content RFC 9562 leaves to its maker. It depends
 * on the reply and on everything that the model requested, so a reset that repeats a recorded call computes the same one,
 * and another reply at the same place does not.
 */
export function callKey(reply: ReplyIdentity, index: number, { id, name, input }: ToolCall): string {
  const { execution, call, try: attempt } = reply;
  const sent = 'text' in input ? input.text : input.ref.hash;
  // The name of the scheme is part of the hash, so that keys of a future scheme can't collide with these.
  return uuidOf(sha256Hex(JSON.stringify(['baton-call-1', execution, call, attempt, index, id, name, sent])));
}

/** Formats the first 128 bits of a hex hash as a UUID of version 8. */
function uuidOf(hex: string): string {
  const variant = ((parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}
