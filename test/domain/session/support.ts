import * as fc from 'fast-check';
import { isWellFormedUnicode, type Json } from '../../../domain/kernel';
import { applyEvents, builtInSlices, createSessionSchema, emptySession, type Session } from '../../../domain/session';
import type { EventResult } from '../../../domain/session/session';
import type { SessionEvent } from '../../../domain/tool';
import type { EventFailure } from '../../../domain/session/session-errors';

export const schema = createSessionSchema(builtInSlices);
export const empty = emptySession(schema);

export const hashOf = (letter: string): string => letter.repeat(64);
export const event = (type: string, value: Json): SessionEvent => ({ type, value });
export const note = (text: string, by = 'root'): SessionEvent => event('noteAdded', { text, by });
export const steps = (...titles: string[]): SessionEvent =>
  event('planStepsAdded', { steps: titles.map((title) => ({ title })) });
export const called = (tool: string, callId = 'c1', isError = false): SessionEvent =>
  event('toolInvoked', { tool, callId, isError, turn: 1 });
export const wrote = (path: string, expectedHash: string | null, newHash: string | null): SessionEvent =>
  event('fileChanged', { path, expectedHash, newHash, bytes: 1 });

export function after(...events: SessionEvent[]): Session {
  return applyEvents(schema, empty, events).session;
}

export function failureOf(result: EventResult | undefined): EventFailure {
  if (result?.status !== 'failed') throw new Error(`expected a failure, got ${JSON.stringify(result)}`);
  return result.failure;
}

const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter(isWellFormedUnicode);
const hash = fc.option(fc.constantFrom('a', 'b', 'c').map(hashOf));
const path = fc.constantFrom('a.ts', 'b/c.ts', 'ö.md');

const goodEvent: fc.Arbitrary<SessionEvent> = fc.oneof(
  fc.record({ text: word, by: word }).map((value) => event('noteAdded', value)),
  fc.array(word, { minLength: 1, maxLength: 3 }).map((titles) => steps(...titles)),
  fc
    .record({ id: fc.constantFrom('S001', 'S002', 'S003'), status: fc.constantFrom('done', 'failed', 'in_progress') })
    .map((value) => event('planStepChanged', value)),
  fc.record({ path, from: hash, to: hash }).map((change) => wrote(change.path, change.from, change.to)),
  fc
    .record({ name: fc.constantFrom('report', 'patch'), bytes: fc.nat(99), by: word })
    .map(({ name, bytes, by }) =>
      event('artifactWritten', { name, by, ref: { hash: hashOf('a'), bytes, mediaType: 'text/plain' } }),
    ),
  fc.record({ tool: fc.constantFrom('grep', 'edit'), id: word }).map(({ tool, id }) => called(tool, id)),
);
const oddEvent: fc.Arbitrary<SessionEvent> = fc.oneof(
  fc.record({ type: word, value: fc.jsonValue() as fc.Arbitrary<Json> }),
  fc.record({ type: fc.constantFrom('noteAdded', 'fileChanged'), value: fc.jsonValue() as fc.Arbitrary<Json> }),
  fc.constantFrom(event('promptRendered', {}), event('delegationEnded', null)),
);

/** Mostly valid events, and some that fail: lost compare-and-sets, unknown steps, invalid values. */
export const events = fc.array(fc.oneof({ weight: 5, arbitrary: goodEvent }, { weight: 1, arbitrary: oddEvent }), {
  maxLength: 25,
});
