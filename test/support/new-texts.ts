import { blocksOf } from '../../testing/scripted-model/api';
import type { ScriptedCall } from '../../testing/scripted-model';

/** Texts that a request sends for the first time: those of its last message. */
export function newTexts({ request }: Pick<ScriptedCall, 'request'>): readonly string[] {
  const last = request.messages.at(-1);
  if (last === undefined) return [];
  return blocksOf(last).flatMap((block) => (block.type === 'text' ? [block.text] : []));
}
