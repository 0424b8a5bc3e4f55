import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { scriptByTurn, say, useTool } from '../../testing/scripted-model';
import { byDepth, dispatch } from '../support/delegation-script';
import { Harness } from '../support/harness';
import { forkWorker, kill } from '../support/worker-process';

describe('a worker that dies after composing a delegation, before reporting it', () => {
  let harness: Harness;
  let second: ChildProcess | undefined;
  beforeAll(async () => {
    const script = byDepth(
      scriptByTurn(useTool('dispatch_subagent', dispatch()), say('Done.')),
      scriptByTurn(say('Looked.')),
    );
    harness = await Harness.start(script, { withWorker: false });
  });
  afterAll(async () => {
    if (second !== undefined) await kill(second);
    await harness.close();
  });

  test('is noticed by its heartbeats, and the composed delegation is the one that runs', async () => {
    // The second journal record: the first is the root's first reply.
    const first = await forkWorker(harness, { dieAfterAnswers: 2 });
    const died = once(first, 'exit');
    const handle = await harness.startRun({ tuning: { heartbeatTimeoutMs: 2_000 } });
    expect((await died)[1]).toBe('SIGKILL');
    const from = Date.now();
    second = await forkWorker(harness);
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done.' } });
    // The timeout of the activity itself is a minute, after which it would be tried again too.
    expect(Date.now() - from).toBeLessThan(55_000);
    expect(harness.model.calls.map(({ outcome }) => outcome)).toEqual(['answered', 'answered', 'answered']);
  });
});
