import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMcpTool } from '../../../activities/mcp/mcp-tool';
import { McpServers } from '../../../activities/mcp/servers';
import type { Tool, ToolContext } from '../../../activities/tool/define-tool';
import type { BlobRef, RunStore } from '../../../domain/store';
import { putJson } from '../../../store/blobs';
import { openFileStore } from '../../../store/file/open-file-store';
import { oddServer } from '../../support/mcp/servers';

describe('a pinned tool of an MCP server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-mcp-tool-'));
  const servers = new McpServers(
    { odd: oddServer() },
    { baseEnvironment: { PATH: process.env['PATH'] ?? '' }, folder, log: () => undefined },
  );
  let store: RunStore;
  let toolList: BlobRef;
  beforeAll(async () => {
    store = (await openFileStore(folder)).forRun('r');
    toolList = await putJson(store, (await servers.list('odd')).tools);
  });
  afterAll(async () => {
    await servers.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const context = (more: object = {}): ToolContext => ({
    workspace: undefined,
    blobs: store,
    artifacts: [],
    slices: {},
    agent: 'run/r',
    key: 'key-1',
    signal: new AbortController().signal,
    ...more,
  });
  const find = async (name: string): Promise<Tool> => {
    const tool = await findMcpTool(servers, store, toolList, name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  };

  test('sends the key of the call to the server', async () => {
    expect(await (await find('mcp__odd__key')).run({}, context({ key: 'key-of-call' }))).toEqual({
      message: 'key-of-call',
    });
  });

  test('stores what is not text as an artifact of the agent', async () => {
    const { events } = await (await find('mcp__odd__binary')).run({}, context());
    expect(events).toEqual([
      {
        type: 'artifactWritten',
        value: {
          name: expect.stringMatching(/^results\/mcp__odd__binary-[0-9a-f]{12}\.png$/) as string,
          ref: expect.objectContaining({ mediaType: 'image/png', bytes: 20 }) as BlobRef,
          by: 'run/r',
        },
      },
    ]);
  });

  test('refuses parameters that are not an object', async () => {
    expect(await (await find('mcp__odd__echo')).run(['x'], context())).toMatchObject({ isError: true });
  });

  test('is not found if it is not pinned, or if the worker does not have its server', async () => {
    const none = new McpServers({}, { baseEnvironment: {}, folder, log: () => undefined });
    expect(await findMcpTool(servers, store, toolList, 'mcp__odd__nothing')).toBeUndefined();
    expect(await findMcpTool(servers, store, undefined, 'mcp__odd__echo')).toBeUndefined();
    expect(await findMcpTool(none, store, toolList, 'mcp__odd__echo')).toBeUndefined();
  });
});
