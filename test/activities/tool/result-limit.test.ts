import { z } from 'zod';
import type { SharedDependencies } from '../../../activities/dependencies';
import { readArtifactTool } from '../../../activities/tool/builtin/artifact-tools';
import { defineTool, type Tool } from '../../../activities/tool/define-tool';
import { executeTool } from '../../../activities/tool/execute-tool';
import {
  applyEvents,
  artifactsSlice,
  builtInSlices,
  createSessionSchema,
  emptySession,
  recordsOf,
} from '../../../domain/session';
import type { BlobRef } from '../../../domain/store';
import type { ToolResult } from '../../../domain/tool';
import { readSpilled } from '../../../store/blobs';
import { TreeCache } from '../../../store/workspace/trees';
import { MemoryRunStore } from '../../store/support/memory-run-store';
import { quietEnvironment } from '../../support/activity-environment';
import { ToolRunner } from './builtin/support';

/** A tool that returns a text chosen by the test. */
const saying = (text: string): Tool =>
  defineTool({
    name: 'tell',
    id: 'test/tell@1',
    description: 'Tells.',
    parameters: z.strictObject({}),
    success: 'Told.',
    cost: 'Free.',
    safeToRepeat: true,
    run: () => Promise.resolve({ message: text }),
  });

const store = new MemoryRunStore();

async function told(text: string, maxResultBytes?: number): Promise<{ message: string; execution: ToolResult }> {
  const dependencies = {
    store: { id: 's1', forRun: () => store },
    uncachedStore: { id: 's1', forRun: () => store },
    tools: [saying(text)],
    treeCache: new TreeCache(),
  } as unknown as SharedDependencies;
  const limit = maxResultBytes === undefined ? {} : { maxResultBytes };
  const call = { id: 'c1', name: 'tell', input: { text: '{}' } };
  const execution = await quietEnvironment().run((): Promise<ToolResult> =>
    executeTool(dependencies, { runId: 'r1', storeId: 's1', call, workspace: null, agent: 'run/r1', ...limit }),
  );
  return { execution, message: await readSpilled(store, execution.outcome.content, 'test') };
}

/** The artifact that a call wrote, as recorded in the session. */
function written({ events }: ToolResult): { name: string; ref: BlobRef } {
  const schema = createSessionSchema(builtInSlices);
  const { session, results } = applyEvents(schema, emptySession(schema), events);
  expect(results).toEqual([{ status: 'applied', version: 1 }]);
  return recordsOf(session, artifactsSlice)[0]!;
}

/** Everything that an agent sees if it follows the hint at the end of each part. */
async function readToTheEnd(
  message: string,
  artifact: { name: string; ref: BlobRef },
  maxResultBytes?: number,
): Promise<string> {
  const runner = new ToolRunner();
  const context = {
    ...runner.context,
    blobs: store,
    artifacts: [artifact],
    ...(maxResultBytes === undefined ? {} : { maxResultBytes }),
  };
  let [all = '', rest = ''] = message.split('\n[cut here: ');
  for (;;) {
    const from = /from_character (\d+)/.exec(rest)?.[1];
    if (from === undefined) return all;
    const part = await readArtifactTool.run({ name: artifact.name, from_character: Number(from) }, context);
    expect(Buffer.byteLength(part.message)).toBeLessThanOrEqual(maxResultBytes ?? Infinity);
    const [more = '', next = ''] = part.message.split('\n[characters ');
    all += more;
    rest = next;
  }
}

describe('a tool result', () => {
  test('that fits is returned unchanged', async () => {
    const { message, execution } = await told('x'.repeat(100 * 1024));
    expect(message).toBe('x'.repeat(100 * 1024));
    expect(execution.events).toEqual([]);
  });

  test('that is too long for any context window is cut, with its size and how to read the rest', async () => {
    const text = 'x'.repeat(100 * 1024 + 1);
    const { message, execution } = await told(text);
    const { name } = written(execution);
    expect(name).toMatch(/^results\/tell-[0-9a-f]{12}\.txt$/);
    expect(message).toBe(
      `${'x'.repeat(16 * 1024)}\n[cut here: the full result is 102401 bytes. Continue with read_artifact "${name}", from_character 16384, or request a smaller part.]`,
    );
  });

  test.each([
    ['in one line', 'abcdefg'.repeat(4_000)],
    ['of characters of all widths', 'aé語😀'.repeat(3_000)],
    ['with a broken character', `${'é'.repeat(5_000)}\ufffd${'é'.repeat(5_000)}`],
  ])('that is too long for a small context window can be read to its end: %s', async (_, text) => {
    for (const maxResultBytes of [5_000, 5_001, 5_002]) {
      const { message, execution } = await told(text, maxResultBytes);
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(maxResultBytes);
      expect(await readToTheEnd(message, written(execution), maxResultBytes)).toBe(text);
    }
  });

  test('never gets more than the limit for all results, and never too little to be useful', async () => {
    expect((await told('x'.repeat(200 * 1024), 300 * 1024)).message).toMatch(/cut here/);
    expect((await told('x'.repeat(4_000), 1)).message).toHaveLength(4_000);
  });
});

describe('reading an artifact', () => {
  const runner = new ToolRunner();
  const put = async (name: string, text: string): Promise<void> => {
    runner.artifacts.push({ name, ref: await runner.store.put(Buffer.from(text), 'text/plain') });
  };

  test('by characters never splits one', async () => {
    await put('smile', 'a😀b');
    const read = (from_character: number, characters: number): Promise<string> =>
      runner.say(readArtifactTool, { name: 'smile', from_character, characters });
    expect(await read(0, 2)).toBe('a\n[characters 0 to 0 of 4; continue with from_character 1]');
    expect(await read(1, 1)).toBe('😀\n[characters 1 to 2 of 4; continue with from_character 3]');
    expect(await read(2, 9)).toBe('😀b');
    expect(await runner.refusal(readArtifactTool, { name: 'smile', from_character: 4 })).toMatch(/only 4 characters/);
  });

  test('is either by lines or by characters', async () => {
    await put('a', 'text');
    expect(await runner.refusal(readArtifactTool, { name: 'a', offset: 1, from_character: 0 })).toMatch(
      /^Use either `offset` and `limit`/,
    );
  });

  test('by lines returns only as many as fit, and says where to continue', async () => {
    await put('lines', 'x'.repeat(999).concat('\n').repeat(20));
    const { message } = await readArtifactTool.run({ name: 'lines' }, { ...runner.context, maxResultBytes: 5_000 });
    expect(message).toMatch(/\n\[lines 1 to 4 of 20; continue with offset 5\]$/);
  });
});
