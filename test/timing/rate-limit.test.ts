import { defaultLimits } from '../../domain/agent';
import { limitRate, say, scriptByTurn, type Script, useTool } from '../../testing/scripted-model';
import { batch, resultsOf, toldRoot } from '../support/batches';
import { byDepth, depthOf } from '../support/delegation-script';
import { Harness, type RunHandle } from '../support/harness';
import { workersOfEachTest } from '../support/worker-process';
import type { ScriptedCall } from '../../testing/scripted-model';

/** How many delegations there are, and how many requests a second the provider allows. */
interface Size {
  readonly children: number;
  readonly perSecond: number;
}

/** Here the provider is what limits. */
const small: Size = { children: 60, perSecond: 5 };
/** Here a small machine may be slower than the provider. */
const large: Size = { children: 200, perSecond: 20 };
const latecomer = 'Come late.';

interface Measured {
  readonly failed: number;
  /** Share of the requests after the first second that were refused. */
  readonly refused: number;
  /** Time from the first call of a child until the last, as a multiple of what the provider's limit takes. */
  readonly ofIdeal: number;
  readonly tookMs: number;
  /** Milliseconds until the first call of the second run arrived, from when it was scheduled. */
  readonly shareMs: number;
}

describe.each([small, large])(
  '$children delegations and a provider that allows $perSecond requests a second',
  (size) => {
    const { children, perSecond } = size;
    // A little less than the provider allows: requests don't arrive as evenly as they are sent.
    const limits = {
      'claude-sonnet-*': { requestsPerMinute: perSecond * 60 * 0.95 },
      // Never reached, so that only the limit makes the difference.
      'claude-opus-*': { requestsPerMinute: 600_000 },
    };
    let harness: Harness;
    const forkWorker = workersOfEachTest(() => harness);
    beforeAll(async () => {
      harness = await Harness.start(() => say('no script'), { limits, replayed: false });
    });
    afterAll(() => harness.close());

    test('all succeed, hardly any is refused, and a second run gets its share', async () => {
      await forkWorker({ limits });
      const { failed, refused, ofIdeal, tookMs, shareMs } = await measure();
      process.stderr.write(`rate limit: ${JSON.stringify({ ...size, refused, ofIdeal, shareMs })}\n`);
      expect(failed).toBe(0);
      expect(refused).toBeLessThanOrEqual(0.02);
      expect(shareMs).toBeLessThan(2_000);
      if (size === large && ofIdeal > 1.3) expect(tookMs / (await machineMs())).toBeLessThanOrEqual(1.3);
      else expect(ofIdeal).toBeLessThanOrEqual(1.3);
    }, 400_000);

    /** What this machine takes for as many delegations of a model whose limit is never reached. */
    const machineMs = async (): Promise<number> => {
      const from = harness.model.calls.length;
      harness.model.setScript(byDepth(parent, () => say('fine')));
      await (await startParent('claude-opus-5-5')).result();
      const times = harness.model.calls.slice(from + 1, -1).map(({ receivedAt }) => receivedAt);
      return Math.max(...times) - Math.min(...times);
    };

    const parent = scriptByTurn(
      useTool('dispatch_subagents', batch(Array.from({ length: children }, (_, index) => `Part ${index}.`))),
      say('done'),
    );

    const startParent = (name: string): Promise<RunHandle> =>
      harness.startRun({
        limits: { ...defaultLimits, maxParallel: children },
        model: { name, maxTokens: 64_000, window: 1_000_000 },
        tuning: {},
      });

    const measure = async (): Promise<Measured> => {
      const asked: ScriptedCall[] = [];
      const from = harness.model.calls.length;
      const play: Script = (call) => {
        asked.push(call);
        return call.systemText.includes(latecomer) ? say('in time') : byDepth(parent, () => say('fine'))(call);
      };
      harness.model.setScript(limitRate({ perSecond }, play));
      const run = await startParent('claude-sonnet-5-5');
      await harness.model.waitForOutcome(from + 1 + children / 4);
      const second = await harness.startRun({ goal: latecomer });
      await Promise.all([run.result(), second.result()]);
      const calls = harness.model.calls.slice(from).map(({ receivedAt, status, request }) => {
        const system = JSON.stringify(request.system);
        return {
          receivedAt,
          status,
          isLate: system.includes(latecomer),
          isChild: system.includes('PARENT PROMPT START'),
        };
      });
      const ofChildren = calls.filter(({ isChild, status }) => isChild && status === 200);
      const [first = 0, last = 0] = [ofChildren[0]?.receivedAt, ofChildren.at(-1)?.receivedAt];
      const later = calls.filter(({ receivedAt }) => receivedAt > first + 1_000);
      const late = calls.find(({ isLate, status }) => isLate && status === 200)?.receivedAt ?? Infinity;
      expect(asked.filter((call) => depthOf(call) === 1)).toHaveLength(children);
      return {
        failed: resultsOf(toldRoot(asked)).filter(({ success }) => !success).length,
        refused: later.filter(({ status }) => status === 429).length / later.length,
        ofIdeal: (last - first) / ((children / perSecond) * 1_000),
        tookMs: last - first,
        shareMs: late - (await scheduledAt(second)),
      };
    };

    /** When a run's first turn was scheduled. */
    const scheduledAt = async ({ workflowId }: RunHandle): Promise<number> => {
      const { events } = await harness.client.workflow.getHandle(workflowId).fetchHistory();
      const turn = events?.find(
        ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name === 'runTurn',
      );
      return Number(String(turn?.eventTime?.seconds ?? 0)) * 1_000 + (turn?.eventTime?.nanos ?? 0) / 1e6;
    };
  },
);
