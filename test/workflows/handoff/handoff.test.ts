import { compression } from '../../../bench/support/compression';
import { auditRun } from '../../../client/prompt/audit-run';
import { type AgentFiles, defaultLimits, type StatusSnapshot } from '../../../domain/agent';
import { runIdOf } from '../../../domain/kernel';
import { say, type Script, type ScriptedCall, useTool, useTools } from '../../../testing/scripted-model';
import { failureOf } from '../../support/failures';
import {
  fact,
  handingOver,
  handoffsBefore,
  historySizes,
  isClosing,
  isRepair,
  lookUp,
  occupancyOf,
  writeHandoff,
} from '../../support/handoffs';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';
import { until } from '../../support/until';

const window = 20_000;
const threshold = 0.6 * window;
const model = { name: 'claude-sonnet-5-5', maxTokens: 1_000, window };
const facts = Array.from({ length: 20 }, (_, index) => fact(index));

describe('an agent whose context window fills up', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { tools: [lookUp] });
  });
  afterAll(() => harness.close());

  async function play(script: Script, wishes: RunWishes = {}): Promise<{ handle: RunHandle; asked: ScriptedCall[] }> {
    const asked: ScriptedCall[] = [];
    harness.model.setScript((call) => {
      asked.push(call);
      return script(call);
    });
    return { handle: await harness.startRun({ model, ...wishes }), asked };
  }
  const snapshotOf = (handle: RunHandle): Promise<StatusSnapshot> =>
    harness.client.workflow.getHandle(handle.workflowId).query<StatusSnapshot>('snapshot');

  /** Fills the context window in a few turns, and finishes after the handoff. */
  const filling: Script = (call) =>
    handoffsBefore(call) > 0 ? say('done') : useTool('look_up', { seed: call.turn, bytes: 8_000 });
  describe('in the middle of its task', () => {
    let handle: RunHandle;
    let asked: ScriptedCall[];
    beforeAll(async () => {
      const noting: Script = (call) => {
        if (handoffsBefore(call) > 0) return say('done');
        const seed = call.turn;
        if (seed >= facts.length) return useTool('look_up', { seed, bytes: 8_000 }, { text: 'CHATTER more' });
        return useTools(
          [
            { name: 'look_up', input: { seed, bytes: 400 } },
            { name: 'add_note', input: { text: fact(seed), kind: 'decision' } },
            ...(seed === 0 ? [{ name: 'write_artifact', input: { name: 'KEPT.md', content: 'kept' } }] : []),
          ],
          { text: `CHATTER ${seed}` },
        );
      };
      ({ handle, asked } = await play(handingOver(noting)));
      await handle.result();
    });

    test('writes its handoff without tools, in one call that stays within the context window', () => {
      const closing = asked.filter(isClosing);
      expect(closing).toHaveLength(1);
      expect(closing[0]?.request).toMatchObject({ tool_choice: { type: 'none' }, max_tokens: model.maxTokens });
      expect(closing[0]?.request.tools?.length).toBeGreaterThan(0);
    });

    test('continues in a new conversation that contains all 20 facts, and nothing of the old one', () => {
      const fresh = asked.at(-1)!;
      expect(fresh.turn).toBe(0);
      expect(fresh.systemText).toBe(asked[0]!.systemText);
      expect(facts.filter((text) => !fresh.firstUserText.includes(text))).toEqual([]);
      expect(JSON.stringify(fresh.request)).not.toMatch(/CHATTER|NOISE/);
    });

    test('keeps id, artifacts and session in a new execution, with the handoff as an artifact', async () => {
      const { artifacts } = await harness.client.workflow.getHandle(handle.workflowId).query<AgentFiles>('files');
      expect(artifacts.map(({ name }) => name)).toEqual(['KEPT.md', 'HANDOFF.md']);
      const store = harness.store.forRun(runIdOf(handle.workflowId)!);
      const written = Buffer.from(await store.get(artifacts[1]!.ref, 'handoff')).toString();
      expect(asked.at(-1)!.firstUserText).toContain(written.trimEnd());
      expect(await historySizes(harness.client, handle)).toHaveLength(2);
    });

    test('reports how much the handoff compressed the conversation', async () => {
      const { handoffs, occupancy } = await snapshotOf(handle);
      expect(handoffs).toHaveLength(1);
      expect(handoffs[0]).toMatchObject({ number: 1, artifact: 'HANDOFF.md', afterCall: asked.length - 1 });
      expect(handoffs[0]!.discardedTokens).toBeGreaterThan(threshold - 8_000 / 4);
      expect(compression(handoffs[0]!)).toBeGreaterThan(5);
      expect(occupancy).toBeLessThan(threshold);
    });

    test('can still be audited', async () => {
      const audited = await auditRun(harness.client, harness.store.forRun(runIdOf(handle.workflowId)!));
      expect(audited.difference).toBeNull();
    });
  });

  describe('and whose handoff omits a recorded decision', () => {
    const deciding: Script = (call) =>
      call.turn === 0 && handoffsBefore(call) === 0
        ? useTool('add_note', { text: fact(1), kind: 'decision' })
        : filling(call);
    const forgetful =
      (mends: (call: ScriptedCall) => boolean): Script =>
      (call) => {
        if (!isClosing(call) && !isRepair(call)) return deciding(call);
        return writeHandoff(call, { decisions: mends(call) ? [fact(1)] : ['Something else.'] });
      };

    test('is told which one is missing, and may try once more', async () => {
      const { handle, asked } = await play(forgetful(isRepair));
      await handle.result();
      expect(asked.find(isRepair)?.lastUserText).toContain(
        `a recorded decision is missing or not word for word: "${fact(1)}"`,
      );
      expect(asked.at(-1)?.firstUserText).toContain(fact(1));
    });

    test('fails when it omits the decision again', async () => {
      const { handle, asked } = await play(forgetful(() => false));
      expect(await failureOf(handle)).toMatchObject({
        type: 'Handoff.Invalid',
        message: expect.stringContaining(fact(1)) as unknown,
      });
      expect(asked.filter((call) => isClosing(call) || isRepair(call))).toHaveLength(2);
    });

    test('waits for an operator once if that is the policy, and continues', async () => {
      let operator = false;
      const { handle } = await play(
        forgetful(() => operator),
        { onFailure: 'hold' },
      );
      const [incident] = await until(async () => {
        const { incidents } = await snapshotOf(handle);
        return incidents.length === 0 ? undefined : incidents;
      });
      expect(incident).toMatchObject({ type: 'Handoff.Invalid', step: 'handoff' });
      operator = true;
      await handle.executeUpdate('operatorDecision', { args: [{ incident: incident!.id, action: 'retry' }] });
      await handle.result();
      expect((await snapshotOf(handle)).handoffs).toHaveLength(1);
    });
  });

  test('fails after waiting once if no operator answers', async () => {
    const useless: Script = (call) => (isClosing(call) || isRepair(call) ? say('no JSON') : filling(call));
    const { handle } = await play(useless, { onFailure: 'hold', holdMs: 1_000 });
    expect(await failureOf(handle)).toMatchObject({ type: 'Handoff.Invalid' });
    const { events } = await handle.fetchHistory();
    expect(events?.filter((event) => event.timerFiredEventAttributes)).toHaveLength(1);
  });

  test('hands off a limited number of times', async () => {
    const endless: Script = ({ turn }) => useTool('look_up', { seed: turn, bytes: 8_000 });
    const { handle, asked } = await play(handingOver(endless), { handoff: { at: 0.6, max: 1 } });
    expect(await failureOf(handle)).toMatchObject({ type: 'Agent.HandoffLimit' });
    expect(asked.filter(isClosing)).toHaveLength(1);
  });

  test('hands off before a call that would exceed the limit, and results that do not fit are omitted', async () => {
    const greedy: Script = (call) => {
      if (handoffsBefore(call) > 0 || call.turn > 0) return say('done');
      return useTools([1, 2, 3, 4].map((seed) => ({ name: 'look_up', input: { seed, bytes: 11_000 } })));
    };
    const { handle, asked } = await play(handingOver(greedy));
    await handle.result();
    expect(asked.map(isClosing)).toEqual([false, true, false]);
    expect(asked[1]?.toolResults.map(({ text }) => text.startsWith('[Not shown'))).toEqual([true, true, true, true]);
  });

  test('gets of a result that alone would exceed the limit its start, its size and how to read the rest', async () => {
    const { handle, asked } = await play((call) => {
      if (call.turn === 0) return useTool('look_up', { seed: 7, bytes: 200_000 });
      const [, name = ''] = /read_artifact "([^"]+)"/.exec(call.toolResults[0]?.text ?? '') ?? [];
      return call.turn === 1 ? useTool('read_artifact', { name, from_character: 190_000 }) : say('done');
    });
    await handle.result();
    expect(asked.some(isClosing)).toBe(false);
    const [head, rest] = asked.at(-1)!.toolExchanges.map(({ result }) => result!.text);
    expect(head).toMatch(/^Fact 7: .*\[cut here: the full result is 200000 bytes\. Continue with read_artifact/s);
    expect(Buffer.byteLength(head!)).toBeLessThan(threshold);
    expect(rest).toContain('NOISE-7');
  });

  test('whose prompt alone does not fit is never called', async () => {
    const { handle, asked } = await play(() => say('done'), {
      goal: 'word '.repeat(3_000),
      model: { ...model, window: 6_000 },
    });
    expect(await failureOf(handle)).toMatchObject({
      type: 'Model.ContextExceeded',
      message: expect.stringContaining('does not fit into the context window of claude-sonnet-5-5') as unknown,
    });
    expect(asked).toEqual([]);
  });

  test('completes 120 turns in a small context window, never exceeding the limit by more than a turn', async () => {
    const bytes = 3_000;
    let done = 0;
    /** A decision in every sixth turn: 20 in total. */
    const work: Script = () => {
      if (done >= 120) return say('done');
      const seed = done++;
      const note = { name: 'add_note', input: { text: fact(seed / 6), kind: 'decision' } };
      return useTools([{ name: 'look_up', input: { seed, bytes } }, ...(seed % 6 === 0 ? [note] : [])]);
    };
    const before = harness.model.calls.length;
    const { handle, asked } = await play(handingOver(work), {
      handoff: { at: 0.6, max: 100 },
      limits: { ...defaultLimits, maxTurns: 500 },
    });
    const { turns } = await handle.result();
    expect(turns).toBe(asked.length);
    const { handoffs } = await snapshotOf(handle);
    expect(turns).toBe(121 + handoffs.length);
    const calls = harness.model.calls.slice(before);
    const most = Math.max(...calls.filter((_, at) => !isClosing(asked[at]!)).map(occupancyOf));
    const sizes = await historySizes(harness.client, handle);
    const ratio = handoffs.reduce((sum, one) => sum + compression(one), 0) / handoffs.length;
    process.stderr.write(
      `120 turns: ${handoffs.length} handoffs, at most ${most} of ${window} tokens, compression ${ratio.toFixed(1)}, ` +
        `at most ${Math.max(...sizes)} bytes of history\n`,
    );
    expect(handoffs.length).toBeGreaterThan(5);
    const noted = facts.slice(0, Math.ceil(handoffs.at(-1)!.afterCall / 6) - handoffs.length);
    expect(noted.filter((text) => !asked.at(-1)!.firstUserText.includes(text))).toEqual([]);
    expect(noted.length).toBeGreaterThan(10);
    expect(ratio).toBeGreaterThan(5);
    expect(sizes).toHaveLength(handoffs.length + 1);
    // One turn adds the result, the call and their overhead.
    expect(most).toBeLessThanOrEqual(threshold + bytes / 4 + 200);
    expect(Math.max(...calls.map(occupancyOf))).toBeLessThan(window);
    expect(Math.max(...sizes)).toBeLessThan(5 * 1024 * 1024);
  });
});
