import { createHash } from 'node:crypto';
import { composePrompt, composePromptFromBytes, type CompositionResult, wrapPromptFromBytes } from '../domain/prompt';
import type { ParentPrompt } from '../domain/prompt/extract';

type Print = (line: string) => void;

const pairs = 60;
const timesTheFloor = 3;
const timesUnique = 1.1;

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function input(ordinal: number): object {
  return {
    parent: { agentId: 'run/bench', promptNs: 'bench', promptKey: 'agent' },
    delegation: {
      reason: 'Measure what composing costs.',
      expectedCompletion: 'a number',
      mayDelegateFurther: true,
      taskSummary: 'Compose a prompt around a long one.',
      requiredOutputs: ['The median of many pairs.'],
    },
    position: { runId: 'bench', ordinal },
  };
}

const header = {
  parent: {},
  delegation: { reason: 'Measure.', expectedResult: 'A number.', mayDelegateFurther: false },
};

/**
 * Returns a text of about `bytes` bytes. Unless it is plain, every seventh line has characters of two and three bytes.
 */
function text(bytes: number, plain: boolean): string {
  const lines: string[] = [];
  for (let size = 0, i = 0; size < bytes; i += 1) {
    const line =
      plain || i % 7 > 0 ? `Line ${i}: the agent reads, decides and acts.` : `Zeile ${i} – größer, “näher”, 漢字.`;
    lines.push(line);
    size += Buffer.byteLength(line) + 1;
  }
  return lines.join('\n');
}

function milliseconds(work: () => unknown): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/**
 * Compares the time of a composition with that of hashing and copying the parent, which is unavoidable. Both are
 * measured right after each other.
 */
function ratio(print: Print, name: string, parent: Uint8Array, compose: () => CompositionResult): number {
  const floors: number[] = [];
  const costs: number[] = [];
  for (let i = 0; i < pairs + 10; i += 1) {
    const floor = milliseconds(() => [sha256(parent), new Uint8Array(parent)]);
    const cost = milliseconds(compose);
    if (i < 10) continue; // until the code is compiled
    floors.push(floor);
    costs.push(cost);
  }
  const times = median(costs.map((cost, i) => cost / floors[i]!));
  print(
    `${name}: ${median(costs).toFixed(2)} ms, ${times.toFixed(2)} times hashing and copying (${median(floors).toFixed(2)} ms)`,
  );
  return times;
}

function speed(print: Print): boolean {
  const worst = [true, false].flatMap((plain) => {
    const rendered = text(1_000_000, plain);
    const bytes = new TextEncoder().encode(rendered);
    const parent: ParentPrompt = { bytes, hash: sha256(bytes) };
    const kind = plain ? 'ASCII' : 'mixed scripts';
    const document = { ...input(0), parent: { agentId: 'run/bench', promptNs: 'bench', promptKey: 'agent', rendered } };
    // For information only: the engine reads prompts from its store, where they are already encoded and identified by
    // their hash.
    ratio(print, `compose a JSON document, 1 MB of ${kind}`, bytes, () => composePrompt(document, { sha256 }));
    ratio(print, `compose over 1 MB of ${kind}, hash unknown`, bytes, () =>
      composePromptFromBytes({ bytes }, input(0), { sha256 }),
    );
    return [
      ratio(print, `compose over 1 MB of ${kind}`, bytes, () => composePromptFromBytes(parent, input(0), { sha256 })),
      ratio(print, `wrap 1 MB of ${kind}`, bytes, () => wrapPromptFromBytes(parent, header, { sha256 })),
    ];
  });
  const holds = Math.max(...worst) <= timesTheFloor;
  print(`${holds ? 'ok' : 'TOO SLOW'}: at most ${timesTheFloor} times`);
  return holds;
}

/** Compares the bytes that a chain of prompts takes in a store of parts with the text that is really new. */
function storage(print: Print): boolean {
  let prompt: Uint8Array = new TextEncoder().encode(text(100_000, false));
  let unique = prompt.length;
  let stored = prompt.length;
  let copied = prompt.length;
  for (let depth = 0; depth < 8; depth += 1) {
    const result = composePromptFromBytes({ bytes: prompt }, input(depth), { sha256 });
    if (!result.ok) return false;
    stored += Buffer.byteLength(JSON.stringify(result.parts));
    unique += result.bytes.length - prompt.length;
    copied += result.bytes.length;
    prompt = result.bytes;
  }
  const times = stored / unique;
  print(
    `8 levels over 100 kB: ${stored} bytes stored as parts, ${times.toFixed(3)} times the unique text (copies: ${copied})`,
  );
  const holds = times <= timesUnique;
  print(`${holds ? 'ok' : 'TOO LARGE'}: at most ${timesUnique} times`);
  return holds;
}

/** Returns whether composition is within its bounds for time and size. */
export function run(print: Print): Promise<boolean> {
  const fast = speed(print);
  const small = storage(print);
  return Promise.resolve(fast && small);
}
