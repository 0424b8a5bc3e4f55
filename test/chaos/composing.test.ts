import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { inTurns, say, useTool } from '../../scripted-model';
import { byDepth, dispatch } from '../support/delegation-script';
import { Harness } from '../support/harness';
import { forkWorker, kill } from '../support/worker-process';

describe('a worker that dies when it has composed a delegation, before it can say so', () => {
  let harness: Harness;
  let second: ChildProcess | undefined;
  beforeAll(async () => {
    const script = byDepth(inTurns(useTool('dispatch_subagent', dispatch()), say('Done.')), inTurns(say('Looked.')));
    harness = await Harness.start(script, { withWorker: false });
  });
  afterAll(async () => {
    if (second !== undefined) await kill(second);
    await harness.close();
  });

  test('is missed within seconds, and the delegation is the one that was composed', async () => {
    // The second record that it keeps: the root's first answer came before.
    const first = await forkWorker(harness, { dieAfterAnswers: 2 });
    const died = once(first, 'exit');
    const handle = await harness.startRun({ tuning: { heartbeatTimeoutMs: 2_000 } });
    expect((await died)[1]).toBe('SIGKILL');
    const from = Date.now();
    second = await forkWorker(harness);
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done.' } });
    // Far below what the activity may take as a whole.
    expect(Date.now() - from).toBeLessThan(30_000);
    expect(harness.model.calls.map(({ outcome }) => outcome)).toEqual(['answered', 'answered', 'answered']);
  });
});
