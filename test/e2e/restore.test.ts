import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedEnvironment } from '../../cli/service/scripted-environment';
import { startWorkerProcess, type WorkerProcess } from '../../cli/service/worker';
import { startRun } from '../../client/agent/start';
import { defaultLimits, type RunInput, type RunResult } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import { type DevServer, ensureDevServer } from '../../temporal-config/dev-server/dev-server';
import { connectClient } from '../../temporal-config/node/connect-client';
import { devServerConnection } from '../../temporal-config/node/connection';
import { createGate, say, scriptByTurn, startScriptedModel, useTool } from '../../testing/scripted-model';
import { workerMain } from '../support/paths';

const runId = 'copied-in-the-middle';
const input: RunInput = {
  runId,
  goal: 'Take three notes.',
  model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000 },
  limits: { ...defaultLimits, maxTurns: 10 },
  tuning: { heartbeatTimeoutMs: 2_000, turnsPerActivity: 1 },
};

describe('a run whose server and store are copied in the middle and restored elsewhere', () => {
  const opened: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of opened.reverse()) await close();
  });

  async function openPlace(stateDir: string, env: Record<string, string>): Promise<[DevServer, WorkerProcess]> {
    const server = await ensureDevServer({ stateDir });
    opened.push(() => server.release());
    const settings = {
      TEMPORAL_ADDRESS: server.address,
      BATON_STATE_DIR: stateDir,
      BATON_TASK_QUEUE: 'restored',
      ...env,
    };
    const worker = await startWorkerProcess({ env: settings, isQuiet: true, program: workerMain });
    opened.push(async () => {
      worker.kill('SIGKILL');
      await worker.ended;
    });
    return [server, worker];
  }

  test('continues there, and pays for no answer twice', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'baton-restore-'));
    opened.push(() => rm(folder, { recursive: true, force: true }));
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    const gate = createGate();
    const note = (text: string) => useTool('add_note', { text });
    const script = scriptByTurn(note('one'), note('two'), note('three'), say('Three notes are taken.'));
    const model = await startScriptedModel(async (call) => {
      if (call.turn === 2) await gate.opened;
      return script(call);
    });
    opened.push(() => model.close());
    const env = scriptedEnvironment(model);

    const [before, worker] = await openPlace(first, env);
    const starting = await connectClient(devServerConnection(before));
    await startRun(starting.client, 'restored', input);
    // The third call is under way: two answers are recorded, and the third is not.
    await model.waitForCall(2);
    await starting.close();
    worker.kill('SIGKILL');
    await worker.ended;
    await before.release();
    await cp(first, second, { recursive: true });
    await rm(first, { recursive: true });
    gate.open();

    const [after] = await openPlace(second, env);
    const { client, close } = await connectClient(devServerConnection(after));
    opened.push(close);
    const result = (await client.workflow.getHandle(runWorkflowId(runId)).result()) as RunResult;
    expect(result).toMatchObject({ answer: { text: 'Three notes are taken.' }, turns: 4 });
    const turns = model.calls.map(({ request }) => (request.messages as unknown[]).length);
    // Only the call that was under way is repeated.
    expect(turns.filter((length, index) => turns.indexOf(length) !== index)).toHaveLength(1);
    expect(model.calls).toHaveLength(5);
  }, 400_000);
});
