import type { TurnText } from '../../temporal-config/names';
import { facts } from './facts';

// Where the texts of calls that ran inside a turn are. Workflow code does not have them.

/** The arguments of a call. `reply` is the result of the turn that requested it. */
export function argumentsOf(id: unknown, reply: unknown): TurnText {
  const { hash, bytes } = facts(facts(reply)['head']);
  return { argumentsOf: String(id), link: { hash: String(hash), bytes: Number(bytes) } };
}

/** The result of a call. `sent` and `reply` are the input and the result of the turn that it ran in. */
export function resultOf(id: unknown, sent: unknown, reply: unknown): TurnText {
  const { call, try: attempt } = facts(facts(sent)['identity']);
  return { resultOf: String(id), turn: keyOf(sent, Number(call), attempt, reply) };
}

/** The results of the calls that ran inside the turn before this one; undefined if none did. */
export function resultsBefore(sent: unknown): TurnText | undefined {
  const { ran } = facts(facts(sent)['told']);
  if (typeof ran !== 'number') return undefined;
  return { resultsIn: keyOf(sent, Number(facts(facts(sent)['identity'])['call']) - 1, ran, sent) };
}

/** Key of a turn's record. `ended` has the head of the transcript that ends with its reply. */
function keyOf(sent: unknown, call: number, attempt: unknown, ended: unknown): string {
  const { execution } = facts(facts(sent)['identity']);
  return `turn/${String(execution)}/${call}/${String(attempt)}/${String(facts(facts(ended)['head'])['hash'])}`;
}
