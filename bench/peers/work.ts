// The work that every system gets, told to its agents as their goal.
import { appendFileSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noise } from '../workloads';

/** An agent that calls one tool in each turn and then answers. */
interface Work {
  readonly turns: number;
  /** Size of a tool result. */
  readonly bytes: number;
  /** Seed of the first result, so that no two agents get the same texts. */
  readonly from: number;
  /** Turn whose tool call waits the first time, until its process is killed. */
  readonly waitsIn?: number;
}

export function goalOf({ turns, bytes, from, waitsIn = -1 }: Work): string {
  return `Make noise in ${turns} turns of ${bytes} bytes, from seed ${from}, waiting in turn ${waitsIn}.`;
}

/** Reads the goal in a prompt; undefined for an agent that only delegates. */
export function readGoal(text: string): Required<Work> | undefined {
  const found = /Make noise in (\d+) turns of (\d+) bytes, from seed (\d+), waiting in turn (-?\d+)/.exec(text);
  if (found === null) return undefined;
  const [turns = 0, bytes = 0, from = 0, waitsIn = -1] = found.slice(1).map(Number);
  return { turns, bytes, from, waitsIn };
}

/** Size of the work of one child, which asks the model, calls the tool, and asks the model again. */
const childBytes = 5_000;

/** Goals of children: each is a model call, a tool call and a model call. */
export function childGoals(count: number): string[] {
  return Array.from({ length: count }, (_, index) => goalOf({ turns: 1, bytes: childBytes, from: 10_000 + index }));
}

/** Children that a delegating agent may ask for in one reply. */
const childrenPerReply = 50;

/** Goal of an agent that delegates to children, for systems in which the model does that. */
export const delegationGoal = (children: number): string => `Delegate to ${children} children.`;

/** The goals of the children that an agent delegates to in this turn; none if it is done. */
export function delegatedGoals(text: string, turn: number): string[] {
  const count = Number(/Delegate to (\d+) children/.exec(text)?.[1] ?? 0);
  return childGoals(count).slice(turn * childrenPerReply, (turn + 1) * childrenPerReply);
}

/** The one tool of all agents, as JSON Schema describes it. */
export const noiseTool = {
  name: 'make_noise',
  description: 'Returns a long text.',
  parameters: {
    type: 'object',
    properties: { seed: { type: 'integer' }, bytes: { type: 'integer' }, waits: { type: 'boolean' } },
    required: ['seed', 'bytes', 'waits'],
    additionalProperties: false,
  },
} as const;

export interface NoiseInput {
  readonly seed: number;
  readonly bytes: number;
  readonly waits: boolean;
}

const logOf = (folder: string): string => join(folder, 'tool-runs');
const waitingOf = (folder: string): string => join(folder, 'tool-waits');

/** Runs the tool. Every run is counted in a file, which survives the process. */
export async function makeNoise({ seed, bytes, waits }: NoiseInput, folder: string): Promise<string> {
  appendFileSync(logOf(folder), '.');
  if (waits && !isToolWaiting(folder)) {
    writeFileSync(waitingOf(folder), '');
    await new Promise(() => undefined);
  }
  return noise(seed, bytes);
}

/** How often the tool has run. */
export function toolRuns(folder: string): number {
  return existsSync(logOf(folder)) ? statSync(logOf(folder)).size : 0;
}

/** Whether a tool call has begun to wait. */
export function isToolWaiting(folder: string): boolean {
  return existsSync(waitingOf(folder));
}
