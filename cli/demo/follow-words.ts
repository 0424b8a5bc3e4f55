import { Conversations } from '../../client/conversation/conversations';
import { runWorkflowId } from '../../domain/kernel';
import type { CliContext } from '../context';
import type { Stage } from './stage';

/** What was read of an agent's conversation while it worked. */
interface Words {
  readonly turns: number;
  readonly handoffs: number;
  /** Text of the last turn. */
  readonly lastText: string;
  /** How often a reply was seen before it was complete. */
  readonly pictures: number;
}

/** Follows the conversation of a run's root until it has ended, as `baton transcript --follow` does. */
export async function followWords(context: CliContext, { client }: Stage, runId: string): Promise<Words> {
  const conversations = new Conversations((await context.openStore()).forRun(runId), client);
  const turns = new Map<number, string>();
  const handoffs = new Set<number>();
  let pictures = 0;
  for await (const { entries, speaking } of conversations.follow(runWorkflowId(runId), { whole: true })) {
    for (const entry of entries) {
      if (entry.kind === 'turn') turns.set(entry.turn, entry.text.map(({ text }) => text).join(''));
      if (entry.kind === 'handoff') handoffs.add(entry.position);
    }
    if (speaking !== null && speaking.text !== '') pictures += 1;
  }
  return { turns: turns.size, handoffs: handoffs.size, lastText: turns.get(turns.size) ?? '', pictures };
}
