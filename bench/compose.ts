import { createHash } from 'node:crypto';
import { composePromptFromBytes, type SectionRange, wrapPromptFromBytes } from '../domain/prompt';
import type { Benchmark, Row } from './runner/benchmark';
import { compared } from './runner/rows';

const timesTheFloor = 3;
const timesUnique = 1.1;
/** Rounds until the code is compiled. */
const warmUp = 10;

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function input(ordinal: number, sections: readonly SectionRange[] = []): object {
  return {
    parent: { agentId: 'run/bench', promptNs: 'bench', promptKey: 'agent', sections },
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

/** What composing prompts costs. Only the processor is involved: a round takes little time. */
export const compose: Benchmark = {
  names: ['compose.1mb', 'compose.sections', 'compose.chain'],
  about:
    'Composing a prompt over 1 MB, against hashing and copying it; over 10,000 sections, against 1,000; bytes of a chain.',
  run: ({ wants, rounds }) =>
    Promise.resolve([
      ...(wants('compose.1mb') ? overMegabyte(rounds(60)) : []),
      ...(wants('compose.sections') ? [overSections(rounds(30))] : []),
      ...(wants('compose.chain') ? [chain()] : []),
    ]),
};

/**
 * Compares a composition with hashing and copying the parent, which is unavoidable. The hash is known, as it is in the
 * engine, which reads prompts from its store.
 */
function overMegabyte(rounds: number): Row[] {
  const bytes = new TextEncoder().encode(text(1_000_000));
  const parent = { bytes, hash: sha256(bytes) };
  const floor = (): unknown => [sha256(bytes), new Uint8Array(bytes)];
  const options = { unit: 'ms', wants: 'less', bound: { of: 'ratio', is: timesTheFloor } } as const;
  const composed = timePairs(rounds, () => composePromptFromBytes(parent, input(0), { sha256 }), floor);
  const wrapped = timePairs(rounds, () => wrapPromptFromBytes(parent, header, { sha256 }), floor);
  return [
    compared({ ...options, name: 'compose.1mb' }, ...composed),
    compared({ ...options, name: 'compose.1mb.wrapped' }, ...wrapped),
  ];
}

function overSections(rounds: number): Row {
  const composer = (count: number): (() => unknown) => {
    const { bytes, sections } = sectioned(count);
    const parent = { bytes, hash: sha256(bytes) };
    return () => {
      const result = composePromptFromBytes(parent, input(0, sections), { sha256 });
      if (!result.ok) throw new Error(JSON.stringify(result));
    };
  };
  const pairs = timePairs(rounds, composer(10_000), composer(1_000));
  return compared({ name: 'compose.sections', unit: 'ms', wants: 'less' }, ...pairs);
}

/** Compares the bytes that a chain of prompts takes in a store of parts with the text that is really new. */
function chain(): Row {
  let prompt: Uint8Array = new TextEncoder().encode(text(100_000));
  let [stored, unique] = [prompt.length, prompt.length];
  for (let depth = 0; depth < 8; depth += 1) {
    const result = composePromptFromBytes({ bytes: prompt }, input(depth), { sha256 });
    if (!result.ok) throw new Error(JSON.stringify(result));
    stored += Buffer.byteLength(JSON.stringify(result.parts));
    unique += result.bytes.length - prompt.length;
    prompt = result.bytes;
  }
  return compared(
    { name: 'compose.chain', unit: 'bytes', wants: 'less', bound: { of: 'ratio', is: timesUnique } },
    [stored],
    [unique],
  );
}

/** Measures both right after each other, many times. In milliseconds. */
function timePairs(rounds: number, work: () => unknown, baseline: () => unknown): [number[], number[]] {
  const [values, baselines]: [number[], number[]] = [[], []];
  for (let round = -Math.min(warmUp, rounds); round < rounds; round += 1) {
    const [floor, cost] = [milliseconds(baseline), milliseconds(work)];
    if (round < 0) continue;
    values.push(cost);
    baselines.push(floor);
  }
  return [values, baselines];
}

function milliseconds(work: () => unknown): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/** Returns a text of about `bytes` bytes. Every seventh line has characters of two and three bytes. */
function text(bytes: number): string {
  const lines: string[] = [];
  for (let size = 0, i = 0; size < bytes; i += 1) {
    const line = i % 7 > 0 ? `Line ${i}: the agent reads, decides and acts.` : `Zeile ${i} – größer, “näher”, 漢字.`;
    lines.push(line);
    size += Buffer.byteLength(line) + 1;
  }
  return lines.join('\n');
}

/** A prompt of this many sections, one after the other, and their index. */
function sectioned(count: number): { bytes: Uint8Array; sections: SectionRange[] } {
  const sections: SectionRange[] = [];
  const texts: string[] = [];
  for (let index = 0, start = 0; index < count; index += 1) {
    const section = `## Section ${index}\n\nThe agent reads, decides and acts.\n\n`;
    texts.push(section);
    sections.push({ path: [`section-${index}`], start, end: start + section.length });
    start += section.length;
  }
  return { bytes: new TextEncoder().encode(texts.join('')), sections };
}
