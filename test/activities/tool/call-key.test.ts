import { z } from 'zod';
import type { SharedDependencies } from '../../../activities/dependencies';
import { defineTool } from '../../../activities/tool/define-tool';
import { executeTool } from '../../../activities/tool/execute-tool';
import type { ToolCall, ToolResult } from '../../../domain/tool';
import { TreeCache } from '../../../store/workspace/trees';
import { MemoryRunStore } from '../../store/support/memory-run-store';
import { quietEnvironment } from '../../support/activity-environment';

const tellKey = defineTool({
  name: 'tell_key',
  id: 'test/tell_key@1',
  description: 'Tells its key.',
  parameters: z.strictObject({}),
  success: 'Told.',
  cost: 'Free.',
  safeToRepeat: true,
  run: (_, { key }) => Promise.resolve({ message: key }),
});

const store = new MemoryRunStore();
const dependencies = {
  store: { id: 's1', forRun: () => store },
  uncachedStore: { id: 's1', forRun: () => store },
  tools: [tellKey],
  treeCache: new TreeCache(),
} as unknown as SharedDependencies;

async function outcomeOf(more: Partial<ToolCall>, agent = 'run/r1'): Promise<ToolResult['outcome']> {
  const call = { id: 'c1', name: 'tell_key', input: { text: '{}' }, ...more };
  const { outcome } = await quietEnvironment().run((): Promise<ToolResult> =>
    executeTool(dependencies, { runId: 'r1', storeId: 's1', call, workspace: null, agent }),
  );
  return outcome;
}

async function keyOf(more: Partial<ToolCall>, agent?: string): Promise<unknown> {
  const { content } = await outcomeOf(more, agent);
  return 'text' in content ? content.text : undefined;
}

test('a tool gets the key of its call', async () => {
  expect(await keyOf({ key: 'a-key' })).toBe('a-key');
});

test('a call without a key, which an earlier version scheduled, gets one that stays the same', async () => {
  const key = await keyOf({});
  expect(key).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(await keyOf({})).toBe(key);
  expect(await keyOf({ id: 'c2' })).not.toBe(key);
  expect(await keyOf({}, 'run/r2')).not.toBe(key);
});

test('a tool of a project is not run with an input that its schema refuses', async () => {
  for (const text of ['{"path":"/etc/passwd"}', '[]', 'null', '{"__proto__":{"key":1}}', '{']) {
    const outcome = await outcomeOf({ key: 'a-key', input: { text } });
    expect(outcome).toMatchObject({ isError: true });
    expect(JSON.stringify(outcome.content)).not.toContain('a-key');
  }
});
