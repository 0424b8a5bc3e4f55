import { eventLine } from '../../../cli/agent/event-line';
import { auditRun } from '../../../client/prompt/audit-run';
import { defaultLimits, type StatusSnapshot } from '../../../domain/agent';
import { runIdOf } from '../../../domain/kernel';
import {
  fail,
  say,
  type Script,
  scriptByTurn,
  type ScriptedCall,
  useTool,
  useTools,
} from '../../../testing/scripted-model';
import { batch } from '../../support/batches';
import { depthOf, dispatch } from '../../support/delegation-script';
import { collectEvents } from '../../support/events';
import { handingOver, handoffsBefore, lookUp } from '../../support/handoffs';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';
import { registryServer } from '../../support/mcp/servers';
import { resetToStart } from '../../support/own-roots';
import { operated } from '../../support/parked';
import { serverTools, sellingSkills } from '../../support/server-tools';
import { treePlayer } from '../../support/tree-player';

const limits = { ...defaultLimits, maxTurns: 50, maxToolTokens: 300 };
const find = (query: string, limit?: number): ReturnType<typeof useTool> =>
  useTool('find_tool', { query, ...(limit === undefined ? {} : { limit }) });
const order = 'mcp__shop__create_order';

interface Described {
  readonly name: string;
  readonly description: string;
}

describe('an agent with more tools than its list may have', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), {
      tools: [...serverTools, lookUp],
      mcpServers: { everything: registryServer('everything') },
      skills: () => Promise.resolve(sellingSkills),
    });
  });
  afterAll(() => harness.close());

  const { play, childrenOf } = treePlayer(() => harness, 'find_tool');
  const played = async (
    scripts: readonly Script[],
    wishes: RunWishes = {},
  ): Promise<{ handle: RunHandle; asked: ScriptedCall[] }> => {
    const { handle, asked } = await play(scripts, { limits, ...wishes });
    await handle.result();
    return { handle, asked };
  };
  const listAt = (asked: readonly ScriptedCall[], turn: number, depth: number): readonly Described[] => {
    const call = asked.find((one) => depthOf(one) === depth && one.turn === turn);
    return (call?.request.tools ?? []) as Described[];
  };
  const toolsAt = (asked: readonly ScriptedCall[], turn: number, depth = 0): string[] =>
    listAt(asked, turn, depth).map(({ name }) => name);
  const describedAt = (asked: readonly ScriptedCall[], turn: number, tool: string, depth = 0): string =>
    listAt(asked, turn, depth).find(({ name }) => name === tool)?.description ?? '';
  const results = (asked: readonly ScriptedCall[], depth = 0): { text: string; isError: boolean }[] =>
    asked
      .filter((call) => depthOf(call) === depth)
      .at(-1)!
      .toolExchanges.map(({ result }) => ({ text: result?.text ?? '', isError: result?.isError ?? false }));
  const differences = async (handle: RunHandle): Promise<(string | null)[]> => {
    const audited = await auditRun(harness.client, harness.store.forRun(runIdOf(handle.workflowId)!));
    return [audited, ...audited.children].map(({ difference }) => difference);
  };
  const deferredOf = async (workflowId: string): Promise<number | undefined> =>
    (await harness.client.workflow.getHandle(workflowId).query<StatusSnapshot>('snapshot')).deferredTools;

  test('gets the small server only, finds others by what they do, and uses them from the next turn on', async () => {
    const { handle, asked } = await played([
      scriptByTurn(find('create an order', 2), useTool(order, { text: 'tea' }), say('done')),
    ]);
    expect(toolsAt(asked, 0)).toEqual(expect.arrayContaining(['read_file', 'mcp__clock__now', 'find_tool']));
    expect(toolsAt(asked, 0).filter((name) => name.includes('shop'))).toEqual([]);
    expect(asked[0]?.systemText).toContain('the descriptions of 30 tools: shop (30) are left out');
    expect(describedAt(asked, 0, 'find_tool')).toContain('Not in your list are 30 tools: shop (30).');
    expect(toolsAt(asked, 1).filter((name) => name.includes('shop'))).toEqual([order, 'mcp__shop__cancel_order']);
    expect(describedAt(asked, 1, 'find_tool')).toContain('Not in your list are 28 tools: shop (28).');
    const [found, called] = results(asked);
    expect(found).toMatchObject({ isError: false });
    expect(found?.text).toMatch(
      /^These 2 tools are in your list from now on:\n\n- `mcp__shop__create_order`: Creates an/,
    );
    expect(found?.text).toContain('Matching as well, but not brought in: `mcp__shop__list_orders`.');
    expect(called).toEqual({ isError: false, text: 'create_order got {"text":"tea"}' });
    expect(await deferredOf(handle.workflowId)).toBe(28);
    expect(await differences(handle)).toEqual([null]);
    const lines = (await collectEvents(harness.client, handle)).map((event) => eventLine(event));
    expect(lines).toContainEqual(expect.stringContaining(`tools: found ${order}, mcp__shop__cancel_order`));
  });

  test('learns from a call of a tool that it has not found, which is not made', async () => {
    const { asked } = await played([
      scriptByTurn(
        useTools([
          { name: order, input: { text: 'tea' } },
          { name: order, input: { text: 'milk' } },
          { name: 'mcp__shop__nothing', input: {} },
        ]),
        useTool(order, { text: 'tea' }),
        say('done'),
      ),
    ]);
    const [first, second, unknown, called] = results(asked);
    expect(first).toEqual({
      isError: true,
      text: `${order} was not called: it was not in your list, so you could not know its parameters. It is in your list now; call it again. Use find_tool to bring in others.`,
    });
    expect(second).toEqual(first);
    expect(unknown?.text).toMatch(/^There is no tool named "mcp__shop__nothing".* Search for others with find_tool\.$/);
    expect(called).toEqual({ isError: false, text: 'create_order got {"text":"tea"}' });
  });

  test('gets a helpful answer to a search that finds nothing or is wrong', async () => {
    const { asked } = await played([
      scriptByTurn(
        find('weather forecast'),
        find('   '),
        useTool('find_tool', { query: 'order', limit: 21 }),
        useTool('find_tool', { name: 'order' }),
        find('mcp__clock__now'),
        find('report', 20),
        say('done'),
      ),
    ]);
    const [nothing, empty, many, misspelt, shown, reports] = results(asked);
    expect(nothing?.text).toBe(
      'Nothing was found for "weather forecast". Deferred are 30 tools: shop (30). Search with other words, such as a verb and an object ("create issue"), or the name of a server.',
    );
    expect(empty).toMatchObject({ isError: true });
    expect(empty?.text).toContain('query: must say what the tool should do');
    expect(many).toMatchObject({ isError: true });
    expect(many?.text).toContain('limit');
    expect(misspelt).toMatchObject({ isError: true });
    expect(shown?.text).toBe('`mcp__clock__now` is already in your list.');
    expect(reports?.text).toContain('These 20 tools are in your list from now on:');
    expect(reports?.text).toContain('Matching as well, but not brought in: ');
  });

  test('is never given what is revoked, and sees the restriction of what is restricted', async () => {
    const explained = { reason: 'Money is tight.', alternative: 'Report it.' };
    const { asked } = await played(
      [scriptByTurn(find('order', 20), find('mcp__shop__cancel_order'), useTool(order, { text: 'gold' }), say('done'))],
      {
        delegation: {
          tools: {
            mcp__shop__cancel_order: { access: 'revoked', ...explained },
            [order]: { access: 'restricted', arguments: { text: { enum: ['tea'] } }, ...explained },
          },
        },
      },
    );
    expect(describedAt(asked, 0, 'find_tool')).toContain('29 tools: shop (29)');
    const [found, revoked, refused] = results(asked);
    expect(found?.text).not.toContain('cancel_order');
    expect(found?.text).toContain('Restricted: `text` must be "tea".');
    expect(describedAt(asked, 1, order)).toContain('Restricted: `text` must be "tea". Reason: Money is tight.');
    expect(revoked?.text).toBe('mcp__shop__cancel_order was revoked. Reason: Money is tight. Instead: Report it.');
    expect(refused?.text).toContain('Tool.Restricted');
    expect(toolsAt(asked, 3)).not.toContain('mcp__shop__cancel_order');
  });

  test('keeps what it found over a handoff and after continuing as new', async () => {
    const script = handingOver((call) => {
      if (handoffsBefore(call) > 0) return call.turn === 0 ? useTool(order, { text: 'tea' }) : say('done');
      return call.turn === 0 ? find(order) : useTool('look_up', { seed: call.turn, bytes: 8_000 });
    });
    const { handle, asked } = await played([script], {
      model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 20_000 },
      tuning: { heartbeatTimeoutMs: 2_000, turnsPerExecution: 1 },
    });
    const after = asked.filter((call) => handoffsBefore(call) > 0);
    expect(toolsAt(after, 0)).toContain(order);
    expect(describedAt(after, 0, 'find_tool')).toContain('29 tools: shop (29)');
    expect(results(after)).toEqual([{ isError: false, text: 'create_order got {"text":"tea"}' }]);
    expect(await deferredOf(handle.workflowId)).toBe(29);
    expect(await differences(handle)).toEqual([null]);
  });

  test('passes on what it found, and what is deferred, to its delegations', async () => {
    const { handle, asked } = await played([
      scriptByTurn(
        find(order),
        useTool('dispatch_subagent', dispatch()),
        useTool('dispatch_subagents', batch(['one'])),
        say('done'),
      ),
      scriptByTurn(find('list orders', 1), useTool('mcp__shop__list_orders', {}), say('found')),
    ]);
    const below = asked.filter((call) => depthOf(call) === 1);
    const starts = below.filter(({ turn }) => turn === 0);
    expect(starts).toHaveLength(2);
    for (const call of starts) {
      expect(toolsAt([call], 0, 1)).toEqual(expect.arrayContaining([order, 'find_tool']));
      expect(describedAt([call], 0, 'find_tool', 1)).toContain('29 tools: shop (29)');
    }
    // The tooling context of a composed prompt agrees with the list.
    expect(starts[0]?.systemText).toContain('Deferred are 29 tools: shop (29).');
    expect(starts[0]?.systemText).toContain('29 deferred tools');
    expect(below.at(-1)?.toolExchanges[1]?.result?.text).toBe('list_orders got {}');
    const children = await childrenOf(handle);
    expect(await Promise.all(children.slice(0, 1).map(deferredOf))).toEqual([28]);
    expect(await deferredOf(handle.workflowId)).toBe(29);
    expect(await differences(handle)).toEqual([null, null, null]);
  });

  test('defers nothing in a skill whose tools are few, and the same in one that has all', async () => {
    const use = (skill: string): ReturnType<typeof useTool> =>
      useTool('dispatch_skill', { skill, input: { goal: 'Sell.' } });
    const { handle, asked } = await played([
      scriptByTurn(use('seller'), use('manager'), say('done')),
      scriptByTurn(say('sold')),
    ]);
    const [seller, manager] = asked.filter((call) => depthOf(call) === 1);
    expect(toolsAt([seller!], 0, 1)).toEqual(['mcp__clock__now', order, 'request_tool']);
    expect(seller?.systemText).toContain(`MCP server shop, deferred for ${handle.workflowId}`);
    expect(toolsAt([manager!], 0, 1)).toEqual(['mcp__clock__now', 'request_tool', 'find_tool']);
    expect(manager?.systemText).toContain('Deferred are 30 tools: shop (30).');
    expect(await differences(handle)).toEqual([null, null, null]);
  });

  test('loses a tool that an operator revokes, found or not, and gets one that is granted', async () => {
    let isWell = false;
    const script = scriptByTurn(find(order), find('mcp__shop__cancel_order'), find(order), say('done'));
    const { handle, asked } = await play([(call) => (call.turn === 1 && !isWell ? fail(401) : script(call))], {
      limits,
      onFailure: 'hold',
    });
    const root = operated(harness.client, handle.workflowId);
    await root.incident();
    isWell = true;
    const tools = { revoke: [order, 'mcp__shop__cancel_order'], grant: ['mcp__shop__list_orders'] };
    await root.decide({ action: 'amend', incident: 'i1', amendment: { tools } });
    await handle.result();
    const last = toolsAt(asked, 3);
    expect(last).toContain('mcp__shop__list_orders');
    expect(last).not.toContain(order);
    expect(describedAt(asked, 3, 'find_tool')).toContain('27 tools: shop (27)');
    expect(
      results(asked)
        .slice(1)
        .map(({ text }) => text),
    ).toEqual([
      expect.stringContaining('Nothing was found for "mcp__shop__cancel_order".'),
      expect.stringContaining(`Nothing was found for "${order}".`),
    ]);
    expect(await differences(handle)).toEqual([null]);
  });

  test('finds the tools of a real server, which its run or its skill grants', async () => {
    const use = useTool('dispatch_skill', { skill: 'guest', input: { goal: 'Say it.' } });
    const call = useTool('mcp__everything__echo', { message: 'hello' });
    const { handle, asked } = await played(
      [scriptByTurn(find('mcp__everything__echo'), call, use, say('done')), scriptByTurn(find('sum', 1), say('found'))],
      { mcp: { everything: ['echo', 'get-env'] }, limits: { ...limits, maxToolTokens: 0 } },
    );
    expect(describedAt(asked, 0, 'find_tool')).toContain('33 tools: shop (30), everything (2), clock (1)');
    expect(results(asked)[1]).toEqual({ isError: false, text: 'Echo: hello' });
    // The skill grants all tools of the server, and the parent has found one of them.
    expect(toolsAt(asked, 0, 1)).toEqual(['request_tool', 'mcp__everything__echo', 'find_tool']);
    expect(describedAt(asked, 0, 'find_tool', 1)).toMatch(/Not in your list are \d+ tools: everything \(\d+\)\./);
    expect(toolsAt(asked, 1, 1)).toContain('mcp__everything__get-sum');
    expect(await differences(handle)).toEqual([null, null]);
  });

  test('has found the same after a reset, without another model call', async () => {
    const script = scriptByTurn(find(order), useTool(order, { text: 'tea' }), say('done'));
    const { handle, asked } = await played([script]);
    await resetToStart(harness, handle);
    expect(asked).toHaveLength(3);
    expect(await deferredOf(handle.workflowId)).toBe(29);
    expect(await differences(handle)).toEqual([null]);
  });

  test('has no find_tool while its tools are within the limit', async () => {
    const { handle, asked } = await played([scriptByTurn(say('done'))], {
      limits: { ...limits, maxToolTokens: 100_000 },
    });
    expect(toolsAt(asked, 0)).toContain(order);
    expect(toolsAt(asked, 0)).not.toContain('find_tool');
    expect(await deferredOf(handle.workflowId)).toBeUndefined();
  });
});
