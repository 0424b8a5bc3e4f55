import { z } from 'zod';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { defineTool } from '../../activities/tools/tool';
import type { Handoff } from '../../domain/handoff/form';
import { lastMessageNotice } from '../../domain/handoff/request';
import { say, type CallRecord, type Script, type ScriptedCall, type ScriptedReply } from '../../scripted-model';
import { handoff } from '../domain/handoff/support';
import type { RunHandle } from './harness';

/** Something worth knowing, different for every number. */
export function fact(index: number): string {
  return `Fact ${index}: the port of service ${index} is ${4_000 + index}.`;
}

/** Gives a fact and noise after it, so many bytes in all. */
export const lookUp = defineTool({
  name: 'look_up',
  id: 'test/look_up@1',
  description: 'Gives a text of so many bytes.',
  parameters: z.strictObject({ seed: z.int(), bytes: z.int() }),
  success: 'A text.',
  cost: 'None.',
  safeToRepeat: true,
  run: ({ seed, bytes }) =>
    Promise.resolve({ message: `${fact(seed)} ${`NOISE-${seed} `.repeat(bytes)}`.slice(0, bytes) }),
});

/** Whether an agent is told to write its last message. */
export function isClosing({ lastUserText }: ScriptedCall): boolean {
  return lastUserText.includes(lastMessageNotice);
}

export function isRepair({ lastUserText }: ScriptedCall): boolean {
  return lastUserText.startsWith('Your handoff cannot be used:');
}

/** How often the work was handed over before this conversation began. */
export function handoffsBefore({ firstUserText }: ScriptedCall): number {
  return Number(/<handoff number="(\d+)">/.exec(firstUserText)?.[1] ?? 0);
}

/** What an obedient agent writes: the decisions that it was told to carry over. */
export function writeHandoff(call: ScriptedCall, more: Partial<Handoff> = {}): ScriptedReply {
  const [, list = ''] = call.lastUserText.split('along with any others:\n');
  const bullets = list.split('\n\n')[0]?.split('\n') ?? [];
  const decisions = bullets.filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
  return say(JSON.stringify({ ...handoff, decisions, ...more }));
}

/** Hands over when told to; otherwise plays the script. */
export function handingOver(script: Script): Script {
  return (call) => (isClosing(call) || isRepair(call) ? writeHandoff(call) : script(call));
}

/** Tokens that a call filled of the window, as the provider reported them. */
export function occupancyOf({ usage }: CallRecord): number {
  return Object.values({ ...usage }).reduce((sum, tokens) => sum + tokens, 0);
}

/** Bytes of history of each execution of a run, the first one first. */
export async function historySizes(client: Client, { workflowId, firstExecutionRunId }: RunHandle): Promise<number[]> {
  const sizes: number[] = [];
  let next: string | undefined = firstExecutionRunId;
  while (next !== undefined) {
    const execution: WorkflowHandle = client.workflow.getHandle(workflowId, next);
    sizes.push((await execution.describe()).historySize ?? 0);
    next = successorIn(await execution.fetchHistory());
  }
  return sizes;
}

function successorIn({ events }: Awaited<ReturnType<RunHandle['fetchHistory']>>): string | undefined {
  return events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
}
