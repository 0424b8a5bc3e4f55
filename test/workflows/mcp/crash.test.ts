import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { Harness } from '../../support/harness';
import { eventually, isRunning, oddServer } from '../../support/mcp/servers';
import { kill, workersOfEachTest } from '../../support/worker-process';

describe('a worker that is killed while it calls an MCP server', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { withWorker: false });
  });
  afterAll(() => harness.close());
  const startWorker = workersOfEachTest(() => harness);

  let runs = 0;
  /** Starts a run that makes one call, and kills its worker when the server has received the call. */
  async function killedDuring(tool: string, start = ''): Promise<{ calls: string[]; told: string; pids: number[] }> {
    runs += 1;
    const log = join(harness.folder, `odd-${runs}.log`);
    const mcpServers = { odd: oddServer({ ODD_LOG: log, ODD_START: start }) };
    const lines = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
    const pids = (): number[] =>
      lines().flatMap((line) => (line.startsWith('started ') ? [Number(line.split(' ')[1])] : []));
    let told = '';
    harness.model.setScript((call) => {
      told = call.toolResults[0]?.text ?? '';
      return scriptByTurn(useTool(`mcp__odd__${tool}`, { text: 'x' }), say('done'))(call);
    });
    const first = await startWorker({ mcpServers });
    const run = await harness.startRun({ mcp: { odd: [tool] } });
    await eventually('the call arrives', () => lines().includes(`${tool} x`));
    const second = await startWorker({ mcpServers });
    await kill(first);
    await eventually('the server of the killed worker ends', () =>
      pids()
        .slice(0, 1)
        .every((pid) => !isRunning(pid)),
    );
    await run.result();
    await kill(second, 'SIGTERM');
    await eventually('all servers end', () => pids().every((pid) => !isRunning(pid)));
    return { calls: lines().filter((line) => line === `${tool} x`), told, pids: pids() };
  }

  test('repeats a call that is safe to repeat on another worker, and leaves no process behind', async () => {
    const { calls, told, pids } = await killedDuring('slow_read', 'stubborn');
    expect(told).toBe('slow_read did x');
    expect(calls).toHaveLength(2);
    expect(pids.length).toBeGreaterThanOrEqual(2);
  });

  test('does not repeat any other call, and the model learns that it may have taken effect', async () => {
    const { calls, told } = await killedDuring('slow_book');
    expect(told).toContain('Tool.Interrupted: mcp__odd__slow_book did not finish');
    expect(told).toContain('It may or may not have taken effect.');
    expect(calls).toHaveLength(1);
  });
});
