import { z } from 'zod';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { defineTool } from '../../activities/tool/define-tool';
import type { Handoff } from '../../domain/handoff/handoff-schema';
import { lastMessageNotice } from '../../domain/handoff/request';
import { say, type CallRecord, type Script, type ScriptedCall, type ScriptedReply } from '../../testing/scripted-model';
import { handoff } from '../domain/handoff/support';
import type { RunHandle } from './harness';

/** A fact, different for every number. */
export function fact(index: number): string {
  return `Fact ${index}: the port of service ${index} is ${4_000 + index}.`;
}

/** Returns a fact followed by noise, this many bytes in total. */
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

/** Whether this is a handoff call. */
export function isClosing({ lastUserText }: ScriptedCall): boolean {
  return lastUserText.includes(lastMessageNotice);
}

export function isRepair({ lastUserText }: ScriptedCall): boolean {
  return lastUserText.startsWith('Your handoff cannot be used:');
}

/** Number of handoffs before this conversation. */
export function handoffsBefore({ firstUserText }: ScriptedCall): number {
  return Number(/<handoff number="(\d+)">/.exec(firstUserText)?.[1] ?? 0);
}

/** The handoff of an agent that follows its instructions: it contains all decisions that it must carry over. */
export function writeHandoff(call: ScriptedCall, more: Partial<Handoff> = {}): ScriptedReply {
  const [, list = ''] = call.lastUserText.split('along with any others:\n');
  const bullets = list.split('\n\n')[0]?.split('\n') ?? [];
  const decisions = bullets.filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
  return say(JSON.stringify({ ...handoff, decisions, ...more }));
}

/** Writes a handoff when asked to; otherwise plays the script. */
export function handingOver(script: Script): Script {
  return (call) => (isClosing(call) || isRepair(call) ? writeHandoff(call) : script(call));
}

/** Context usage of a call in tokens, as the provider reported it. */
export function occupancyOf({ usage }: CallRecord): number {
  return Object.values({ ...usage }).reduce((sum, tokens) => sum + tokens, 0);
}

/** Bytes of history of each execution of a run, in order. */
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
