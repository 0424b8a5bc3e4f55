// The goal of an agent says what is measured. The model, in a separate process, reads it from there.
import { createHash } from 'node:crypto';

function numbersIn(text: string, pattern: RegExp): number[] {
  const found = pattern.exec(text);
  if (found === null) throw new Error(`No goal of a benchmark in: ${text.slice(0, 200)}`);
  return found.slice(1).map(Number);
}

/** One agent that makes noise: one tool call in each turn, with a result of some bytes. */
export interface Noise {
  readonly turns: number;
  readonly bytes: number;
}
export const noiseGoal = ({ turns, bytes }: Noise): string => `Make noise in ${turns} turns of ${bytes} bytes.`;
export function readNoiseGoal(text: string): Noise {
  const [turns = 0, bytes = 0] = numbersIn(text, /Make noise in (\d+) turns of (\d+) bytes/);
  return { turns, bytes };
}

/** Returns a tool result of this many bytes that differs for every seed and can't be compressed much. */
export function noise(seed: number, bytes: number): string {
  const outputLength = Math.ceil((bytes * 3) / 4) || 1;
  return createHash('shake256', { outputLength }).update(String(seed)).digest('base64').slice(0, bytes);
}

/**
 * A parent that delegates in several replies. A reply has at most 64 tool calls, so a hundred children need two of them.
 */
export interface FanOut {
  readonly waves: number;
  /** Delegations in one reply. */
  readonly children: number;
}
export const fanOutGoal = ({ waves, children }: FanOut): string => `Delegate ${waves} times ${children} tasks.`;
export function readFanOutGoal(text: string): FanOut {
  const [waves = 0, children = 0] = numbersIn(text, /Delegate (\d+) times (\d+) tasks/);
  return { waves, children };
}

/** A batch of children on one session, each with some turns that may write to it. */
export interface Batch {
  readonly children: number;
  readonly turns: number;
  readonly writes: boolean;
}
export function batchGoal({ children, turns, writes }: Batch): string {
  return `Batch of ${children} with ${turns} turns and ${writes ? 1 : 0} writes in each.`;
}
export function readBatchGoal(text: string): Batch {
  const [children = 0, turns = 0, writes] = numbersIn(text, /Batch of (\d+) with (\d+) turns and (\d) writes/);
  return { children, turns, writes: writes === 1 };
}

export const handoffGoal = (turns: number): string => `Read ${turns} reports.`;
export function readHandoffGoal(text: string): number {
  return numbersIn(text, /Read (\d+) reports/)[0] ?? 0;
}
/** `handoff`: number of turns between two recorded decisions, which every later handoff has to carry. */
export const turnsPerDecision = 50;
/** `handoff`: returns the text of a turn's decision. */
export function decision(turn: number): string {
  return `Decided in turn ${turn}: service ${turn} listens on port ${4_000 + turn}.`;
}

/** A root that dispatches several very large batches. */
export interface LargeRun {
  readonly batches: number;
  readonly children: number;
}
export const largeRunGoal = ({ batches, children }: LargeRun): string => `Dispatch ${batches} batches of ${children}.`;
export function readLargeRunGoal(text: string): LargeRun {
  const [batches = 0, children = 0] = numbersIn(text, /Dispatch (\d+) batches of (\d+)/);
  return { batches, children };
}

/** `session.writes`: writers of one shared session. */
export const sessionWritesGoal = (writers: number, run: string): string => `${writers} writers (${run}).`;
export function readSessionWritesGoal(text: string): { writers: number; run: string } {
  const [, writers = '0', run = ''] = /(\d+) writers \((.*?)\)/.exec(text) ?? [];
  return { writers: Number(writers), run };
}
export const writesPerWriter = 2;

export const replayGoal = (turns: number): string => `Work for ${turns} turns.`;
export function readReplayGoal(text: string): number {
  return numbersIn(text, /Work for (\d+) turns/)[0] ?? 0;
}
/** `replay.1000`: number of turns between two notes. */
export const turnsPerNote = 10;
