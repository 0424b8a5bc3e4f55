import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import fc from 'fast-check';
import type { z } from 'zod';
import type { SharedDependencies } from '../../activities/dependencies';
import { builtInTools } from '../../activities/tool/builtin';
import { changeTools } from '../../activities/tool/change-tools';
import type { Json } from '../../domain/kernel';
import { boundedIncident, formatIncidentSummary, incidentSchema, resolveAnswer } from '../../domain/operator';
import { maxPayloadBytes, type Store } from '../../domain/store';
import {
  askOperatorDescription,
  askOperatorSchema,
  type ChangedTools,
  type ChangeToolsInput,
  findToolDescription,
  findToolSchema,
  readCallInput,
  requestToolDescription,
  requestToolSchema,
  type ToolDescription,
} from '../../domain/tool';
import { measurePayload, putJson } from '../../store/blobs';
import { putRootTools } from '../../store/prompts';
import { MemoryRunStore } from '../store/support/memory-run-store';
import { type Texts, valuesOf } from './support/from-schema';
import { expectNotQuadratic } from './support/growth';
import { fuzz, type Outcome } from './support/target';
import { changed, hostileText } from './support/values';

/** Maximum bytes of the summary of a timer. A workflow whose timer has a longer one makes no progress. */
const maxSummaryBytes = 400;
/** Maximum characters of what a model is told about a wrong input. */
const maxRefusal = 1_200;

const described: readonly ToolDescription[] = builtInTools.map(({ description }) => description);
const [shown, deferred] = [described.slice(0, 3), described.slice(3)];
const names = fc.oneof(fc.constantFrom(...described.map(({ name }) => name), 'shell', 'dispatch_skill'), hostileText);
const texts: Texts = {
  query: fc.oneof(fc.constantFrom('write a file', 'note', 'the tools', 'add_note, write_file'), hostileText),
  name: names,
};

/** Inputs as texts: of some, a part is missing. */
function inputsOf({ inputSchema }: ToolDescription): fc.Arbitrary<string> {
  const values = changed(valuesOf(inputSchema, texts), 0.6);
  return fc.tuple(values, fc.nat(9)).map(([value, cut]) => {
    const text = JSON.stringify(value);
    return cut === 0 ? text.slice(0, text.length / 2) : text;
  });
}

describe('inputs of tools that the workflow carries out', () => {
  const run = new MemoryRunStore();
  const store = { id: 'store', forRun: () => run } as unknown as Store;
  let lists: Pick<ChangeToolsInput, 'toolList' | 'deferred'>;
  beforeAll(async () => {
    await putRootTools(run, { toolList: await putJson(run, described) });
    const list = await putJson(run, deferred);
    lists = { toolList: await putJson(run, shown), deferred: { list, count: deferred.length } };
  });

  const change = (wanted: Partial<ChangeToolsInput>): Promise<ChangedTools> =>
    changeTools({ store } as SharedDependencies, {
      ...{ runId: 'r1', storeId: 'store', grant: [], revoke: [], ...lists },
      ...wanted,
    });

  /** Reads an input as the workflow does, and carries it out if it is accepted. */
  async function read<S extends z.ZodType>(
    schema: S,
    text: string,
    carryOut: (value: z.output<S>) => unknown,
  ): Promise<Outcome> {
    const input = readCallInput(schema, 'c1', text);
    if (input.ok) {
      await carryOut(input.value);
      return 'accepted';
    }
    expect(input.result.outcome).toMatchObject({ isError: true });
    expect(measurePayload(input.result)).toBeLessThan(maxRefusal);
    return 'refused';
  }

  /** What an operator sees fits into the history and into the summary of the timer. */
  function park(message: string, more: object = {}): void {
    const incident = { id: 'i1', kind: 'question', type: 'Agent.Question', step: 'ask_operator', message, ...more };
    const parsed = incidentSchema.parse(
      boundedIncident({
        ...incident,
        since: '2027-01-02T03:04:05Z',
        attempt: 1,
        delegation: null,
        tool: 'ask_operator',
      }),
    );
    expect(measurePayload(parsed)).toBeLessThan(maxPayloadBytes);
    const summary = defaultPayloadConverter.toPayload(formatIncidentSummary({ ...parsed, id: 'i12345' }));
    expect(temporal.api.common.v1.Payload.encode(summary).finish().length).toBeLessThanOrEqual(maxSummaryBytes);
  }

  const shares = { accepted: 0.2, refused: 0.2 };
  fuzz({
    name: 'ask_operator',
    input: fc.tuple(inputsOf(askOperatorDescription()), hostileText),
    run: ([text, answer]) =>
      read(askOperatorSchema, text, ({ question, options, free_text: isFree }) => {
        const choice = { ...(options && { options }), ...(isFree === true ? { freeText: true as const } : {}) };
        park(question, choice);
        const resolved = resolveAnswer(answer, choice);
        if (options !== undefined && isFree !== true) expect([...options, undefined]).toContain(resolved);
      }),
    shares,
    cases: 1_000,
  });
  fuzz({
    name: 'request_tool',
    input: inputsOf(requestToolDescription()),
    run: (text) =>
      read(requestToolSchema, text, async ({ name, reason }) => {
        park(`The agent requests ${name}: ${reason}`, { kind: 'toolRequest' });
        const result = await change({ grant: [name] });
        expect(measurePayload(result)).toBeLessThan(maxPayloadBytes);
        expect(result.refused).toEqual(described.some((tool) => tool.name === name) ? [] : [name]);
      }),
    shares,
    cases: 600,
  });
  fuzz({
    name: 'find_tool',
    input: inputsOf(findToolDescription(deferred)),
    run: (text) =>
      read(findToolSchema, text, async (find) => {
        const result = await change({ find });
        expect(measurePayload(result)).toBeLessThan(maxPayloadBytes);
        expect(result.found?.length ?? 0).toBeLessThanOrEqual(find.limit);
        expect(result.answer).not.toBe('');
      }),
    shares,
    cases: 600,
  });

  test.each<[string, z.ZodType, (size: number) => Json]>([
    ['ask_operator', askOperatorSchema, (size) => ({ question: 'x '.repeat(size), options: words(size) })],
    ['request_tool', requestToolSchema, (size) => ({ name: 'x'.repeat(size), reason: ' '.repeat(size) })],
    ['find_tool', findToolSchema, (size) => ({ query: ' '.repeat(size), limit: 1e9, [words(size).join('')]: 1 })],
  ])('%s takes no time that grows with the square of its input', async (_, schema, inputOf) => {
    await expectNotQuadratic(2_000, (size) => {
      const text = JSON.stringify(inputOf(size));
      return () => readCallInput(schema, 'c1', text);
    });
  });

  test('the time of find_tool does not grow with the square of the number of tools', async () => {
    await expectNotQuadratic(100, (size) => {
      const many = Array.from({ length: size }, (_, n) => ({ ...described[0]!, name: `tool_${n}` }));
      const list = putJson(run, many);
      return async () =>
        change({ find: { query: 'tool list files', limit: 20 }, deferred: { list: await list, count: size } });
    });
  });
});

const words = (size: number): string[] => Array.from({ length: size }, (_, index) => `w${index}`);
