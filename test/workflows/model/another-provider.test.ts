import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import { auditRun } from '../../../client/prompt/audit-run';
import { parseModelName } from '../../../domain/model';
import { runIdOf } from '../../../domain/kernel';
import { fail, say, useTool } from '../../../testing/scripted-model';
import { createAnthropicModel, createBatonWorker, type ModelPort, type ModelRequest } from '../../../worker';
import { Harness, testAddress } from '../../support/harness';
import { operated } from '../../support/parked';
import { workflowBundle } from '../../support/paths';

const steps = { steps: ['Look.'] };

describe('a run that operators move to another provider and back', () => {
  let harness: Harness;
  let connection: NativeConnection;
  /** Requests to the other provider. */
  const asked: ModelRequest[] = [];

  beforeAll(async () => {
    // Claude thinks and plans, is then unavailable, and finishes when it is asked again.
    harness = await Harness.start(
      ({ turn }) => {
        if (turn === 0) return useTool('add_plan_steps', steps, { thinking: 'First, a plan.', text: 'I plan.' });
        return turn === 1 ? fail(401) : say('Done.', { thinking: 'That was it.' });
      },
      { withWorker: false },
    );
    connection = await NativeConnection.connect({ address: testAddress() });
  });
  afterAll(async () => {
    await harness.close();
    await connection.close();
  });

  /** A port of a project's own: one more provider beside Claude. It replies once, and is then unavailable as well. */
  function bothProviders(): ModelPort {
    const claude = createAnthropicModel({ apiKey: 'scripted', baseUrl: harness.model.baseUrl });
    return {
      nativeStructuredOutput: false,
      reply(request, signal) {
        if (parseModelName(request.settings.name).provider === 'anthropic') return claude.reply(request, signal);
        asked.push(request);
        if (asked.length > 1) throw ApplicationFailure.nonRetryable('No key.', 'Model.Unauthorized');
        const provider = { name: 'other', data: { id: 'x' } };
        return Promise.resolve({
          content: [
            { type: 'thinking', text: 'Notes, then.', provider },
            { type: 'opaque', provider },
            { type: 'text', text: 'I take a note.' },
            { type: 'toolCall', id: 'other_1', name: 'add_note', input: { text: 'No files.', kind: 'fact' }, provider },
          ],
          stopReason: 'toolCalls',
          usage: { input: 100, cacheRead: 50, cacheWrite: 0, output: 20 },
          model: 'large',
        });
      },
      countTokens: () => Promise.resolve(150),
    };
  }

  test('continues its conversation with both, and its transcript is sound', async () => {
    const { client, store, taskQueue } = harness;
    const worker = await createBatonWorker({
      connection,
      client,
      namespace: 'default',
      taskQueue,
      store,
      model: bothProviders(),
      workflowBundlePath: workflowBundle.codePath,
      stickyTimeoutMs: 500,
    });
    await worker.runUntil(async () => {
      const run = await harness.startRun({ onFailure: 'hold' });
      const agent = operated(client, run.workflowId);
      await agent.incident('i1');
      const other = { name: 'other:large', window: 100_000 };
      await agent.decide({ action: 'amend', incident: 'i1', amendment: { model: other } });
      await agent.incident('i2');
      const back = { name: 'claude-sonnet-5-5' };
      await agent.decide({ action: 'amend', incident: 'i2', amendment: { model: back } });
      expect(await run.result()).toMatchObject({ answer: { text: 'Done.' }, turns: 3 });

      // The other provider saw Claude's text, call and result, and nothing that only Claude understands.
      const [opening, reply, results] = asked[0]?.messages ?? [];
      expect(opening?.role).toBe('user');
      expect(reply?.content).toEqual([
        { type: 'text', text: 'I plan.' },
        { type: 'toolCall', id: expect.any(String) as string, name: 'add_plan_steps', input: steps },
      ]);
      expect(results?.content).toMatchObject([{ type: 'toolResult', isError: false }]);

      // Claude, as strict as ever, accepted its own signed thinking and the other's text and call.
      expect(harness.model.rejected).toEqual([]);
      const last = harness.model.calls.at(-1)?.request.messages ?? [];
      const types = last.map(({ content }) => (typeof content === 'string' ? [] : content.map(({ type }) => type)));
      expect(types).toEqual([
        ['text'],
        ['thinking', 'text', 'tool_use'],
        ['tool_result'],
        ['text', 'tool_use'],
        ['tool_result'],
      ]);
      expect(await auditRun(client, store.forRun(runIdOf(run.workflowId)!))).toMatchObject({ difference: null });
    });
  });
});
