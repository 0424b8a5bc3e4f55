import { spawn } from 'node:child_process';
import { once as onceEmitted } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noCallPaidTwice } from './checks/calls';
import { deviations } from './checks/counts';
import { everyRunEnded, nothingRanTwice } from './checks/executions';
import { leftIn, noWorkerDied } from './checks/leftovers';
import type { Aftermath } from './checks/look';
import { memoryIsBack } from './checks/memory';
import { sameToolResults } from './checks/results';
import type { AskedCall, CallWindow } from './round';
import type { Workers } from './session/workers';
import { callsOf, Expected } from './tree/expected';
import { generateTree } from './tree/generate';
import { type AgentPlan, agentsBelow, depthBelow } from './tree/plan';
import { answerIn } from './tree/play';

const options = { maxAgents: 8, hasCommands: true };
const leaf: AgentPlan = { name: 'ra', session: 'shared', steps: [[{ tool: 'read_file', input: {}, outcome: 'ok' }]] };
const root: AgentPlan = {
  name: 'r',
  session: 'own',
  steps: [[{ tool: 'dispatch_subagents', input: {}, children: [leaf] }]],
};
const allCalls = [root, leaf].flatMap(callsOf);

/** What is left of a round of this small tree. */
function aftermath(change: {
  asked?: readonly Partial<AskedCall>[];
  windows?: readonly CallWindow[];
  ids?: Record<string, string[]>;
  executions?: readonly { workflowId: string; status: string }[];
  terminated?: string[];
  reset?: string[];
  wasStalled?: boolean;
}): Aftermath {
  const asked = (change.asked ?? allCalls.map((name) => ({ name }))).map((call) => ({
    at: 0,
    wasDisturbed: false,
    ...call,
  }));
  const {
    windows = [],
    wasStalled = false,
    ids = { r: ['run/x'], ra: ['run/x/1'] },
    executions = [],
    terminated = [],
    reset = [],
  } = change;
  const round = { tree: { root }, asked, windows, strikes: [], reset, wasStalled };
  const expected = new Expected(root, new Set(terminated));
  return { round, expected, executions, idsOf: new Map(Object.entries(ids)) } as unknown as Aftermath;
}
const once = allCalls.map((name) => ({ name }));

describe('the checks of a round report', () => {
  test('what is lost, there too often, or not wanted', () => {
    const wanted = { once: ['a', 'b'], maybe: ['c'], twice: ['d'] };
    expect(deviations('note', ['a', 'b', 'd', 'd'], wanted)).toEqual([]);
    expect(deviations('note', ['a', 'a', 'c', 'c', 'd', 'e'], wanted)).toEqual([
      'the note "b" is lost',
      'the note "a" is there 2 times',
      'the note "c" is there 2 times',
      'there is a note "e" that nobody should have written',
    ]);
  });

  test('calls that were paid twice, except one for each fault that they were in progress at', () => {
    expect(noCallPaidTwice(aftermath({}))).toEqual([]);
    expect(noCallPaidTwice(aftermath({ asked: once.slice(1) }))).toEqual(['call r/0/0 was never made']);
    expect(noCallPaidTwice(aftermath({ asked: [...once, { name: 'rx/0/0' }] }))).toEqual([
      'call rx/0/0 is not in the plan',
    ]);
    const twice = { asked: [...once, { name: 'r/0/1', at: 50 }] };
    const inProgress = { until: 10, journaled: new Set<string>() };
    expect(noCallPaidTwice(aftermath(twice))).toEqual([expect.stringMatching(/^call r\/0\/1 was made 2 times/)]);
    expect(noCallPaidTwice(aftermath({ ...twice, windows: [inProgress] }))).toEqual([]);
    const journaled = { until: 10, journaled: new Set(['r/0/1']) };
    expect(noCallPaidTwice(aftermath({ ...twice, windows: [journaled] }))).toHaveLength(1);
    const later = { asked: twice.asked.map((call) => ({ ...call, at: 20 })), windows: [inProgress] };
    expect(noCallPaidTwice(aftermath(later))).toHaveLength(1);
    expect(noCallPaidTwice(aftermath({ ...twice, wasStalled: true }))).toEqual([]);
    const disturbed = { asked: [...once, { name: 'r/0/1', wasDisturbed: true }] };
    expect(noCallPaidTwice(aftermath(disturbed))).toEqual([]);
  });

  test('delegations and workflows that ran twice', () => {
    const execution = (status: string) => ({ workflowId: 'run/x/1', status });
    const found = (statuses: string[], more: object = {}) =>
      nothingRanTwice(aftermath({ executions: statuses.map(execution), ...more }));
    expect(found(['CONTINUED_AS_NEW', 'COMPLETED'])).toEqual([]);
    expect(found(['COMPLETED', 'COMPLETED'])).toEqual(['run/x/1 ran 2 times']);
    expect(found(['TERMINATED', 'COMPLETED'])).toEqual(['run/x/1 ran 2 times']);
    expect(found(['TERMINATED', 'COMPLETED'], { reset: ['ra'] })).toEqual([]);
    expect(found(['TERMINATED', 'COMPLETED', 'COMPLETED'], { reset: ['ra'] })).toHaveLength(1);
    expect(found([], { ids: { r: ['run/x'], ra: ['run/x/1', 'run/x/2'] } })).toEqual([
      'ra was delegated 2 times: run/x/1, run/x/2',
    ]);
    expect(found([], { ids: { r: ['run/x'] } })).toEqual(['ra was never started']);
  });

  test('workflows that are open, and agents that failed although nobody terminated or reset them', () => {
    const found = (status: string, more: object = {}) =>
      everyRunEnded(aftermath({ executions: [{ workflowId: 'run/x/1', status }], ...more }));
    expect(found('COMPLETED')).toEqual([]);
    expect(found('RUNNING')).toEqual([expect.stringContaining('run/x/1 is still open')]);
    expect(found('FAILED')).toEqual(['ra, run/x/1, ended as FAILED']);
    expect(found('TERMINATED', { terminated: ['ra'] })).toEqual([]);
    expect(found('TERMINATED', { reset: ['ra'] })).toEqual([]);
  });

  test('what an agent was wrongly told, and workers that died although nothing stopped them', () => {
    const round = (wasStalled: boolean) => ({
      ...{ strikes: [], wasStalled, wronglyTold: new Set(['ra heard "no"']) },
      session: { workers: { deaths: ['worker 7 ended by itself'] } },
    });
    const after = (wasStalled = false) => ({ round: round(wasStalled) }) as unknown as Aftermath;
    expect(sameToolResults(after())).toEqual(['ra heard "no"']);
    expect(noWorkerDied(after())).toEqual(['worker 7 ended by itself']);
    expect(noWorkerDied(after(true))).toEqual([]);
  });

  test('processes and temporary files that are left', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'baton-chaos-planted-'));
    await mkdir(join(folder, 'temporary'));
    const session = { folder, workers: { running: [] as unknown } as Workers };
    expect(leftIn(session)).toEqual([]);
    const child = spawn('sleep', ['60'], { env: { BATON_CHAOS: folder }, stdio: 'ignore' });
    try {
      await onceEmitted(child, 'spawn');
      await writeFile(join(folder, 'temporary', 'half-written'), '');
      expect(leftIn(session)).toEqual([
        `process ${child.pid} is left: sleep 60 `,
        'a temporary file is left: half-written',
      ]);
    } finally {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true });
    }
  });

  test('workers that need more memory than after their first round', () => {
    const worker = { process: { pid: 7 } };
    const found = (megabytes: number) =>
      memoryIsBack({ reports: new Map([[worker, { heapBytes: megabytes * 1024 ** 2 }]]) } as unknown as Aftermath);
    expect(found(100)).toEqual([]);
    expect(found(139)).toEqual([]);
    expect(found(141)).toEqual(['worker 7 uses 141 MB of heap after 100 MB']);
  });
});

describe('a generated tree', () => {
  test('is the same for the same seed, has no more agents than wanted, and reaches every depth', () => {
    const trees = Array.from({ length: 200 }, (_, seed) => generateTree(seed, 'x', options).root);
    expect(trees.map((tree) => JSON.stringify(tree))).toEqual(
      trees.map((_, seed) => JSON.stringify(generateTree(seed, 'x', options).root)),
    );
    expect(Math.max(...trees.map((tree) => agentsBelow(tree).length))).toBeLessThanOrEqual(options.maxAgents);
    expect(Math.min(...trees.map((tree) => agentsBelow(tree).length))).toBeGreaterThan(1);
    expect(new Set(trees.map(depthBelow))).toEqual(new Set([1, 2, 3, 4]));
    const tools = new Set(trees.flatMap(agentsBelow).flatMap(({ steps }) => steps.flat().map(({ tool }) => tool)));
    expect([...tools].sort()).toEqual([
      'add_note',
      'add_plan_steps',
      'dispatch_skill',
      'dispatch_subagent',
      'dispatch_subagents',
      'mcp__chaos__echo',
      'read_file',
      'run_command',
      'write_artifact',
      'write_file',
    ]);
  });

  test('has an answer that contains those of all agents, except those that an operator terminated', () => {
    expect(new Expected(root).answer()).toBe('<<r <<ra ok>>>>');
    expect(new Expected(root, new Set(['ra'])).answer()).toBe('<<r failed>>');
    expect(answerIn('x <<r <<ra ok>>>> <<ra ok>>', 'r')).toBe('<<r <<ra ok>>>>');
    expect(answerIn('x <<ra ok>>', 'r')).toBeUndefined();
  });
});
