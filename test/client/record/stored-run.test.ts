import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  agentTree,
  type AgentTree,
  createBaton,
  gatherReport,
  type ReportModel,
  type RunHandle,
  type StartRunOptions,
} from '../../../client';
import { type AuditedAgent, auditRun, auditStoredRun } from '../../../client/prompt/audit-run';
import { everyStoredAgent, readStoredRun, type StoredRun } from '../../../client/record/stored-run';
import {
  storedAgentTree,
  storedArtifacts,
  storedReport,
  storedTree,
  storedWorkspace,
} from '../../../client/record/stored-views';
import { queriedFiles } from '../../../client/workspace/run-files';
import { runIdOf } from '../../../domain/kernel';
import { sha256 } from '../../../store/blobs';
import { hang, refuse, say, type Script, scriptByTurn, useTool, useTools } from '../../../testing/scripted-model';
import { batch, reasonOf } from '../../support/batches';
import { byDepth, depthOf, dispatch } from '../../support/delegation-script';
import { handingOver, handoffsBefore, lookUp } from '../../support/handoffs';
import { Harness } from '../../support/harness';
import { operated } from '../../support/parked';
import { discovered, playRelay, relayNamed, skillOf } from '../../support/relays';
import { shipped, writeProject } from '../../support/skill-project';
import { until } from '../../support/until';

/** What commands show of a run. */
interface View {
  readonly report: unknown;
  readonly tree: unknown;
  readonly audit: AuditedAgent;
  readonly artifacts: unknown;
  readonly workspace: unknown;
}

describe('a run read from the store alone', () => {
  let harness: Harness;
  let workspace: { root: string };
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { skills: shipped, tools: [lookUp] });
    workspace = { root: await writeProject(join(harness.folder, 'project')) };
  });
  afterAll(() => harness.close());

  async function play(script: Script, wishes: Partial<StartRunOptions> = {}): Promise<string> {
    harness.model.setScript(script);
    const run = await begin(wishes);
    await run.result();
    return run.runId;
  }

  function begin(wishes: Partial<StartRunOptions>): Promise<RunHandle> {
    const limits = { maxTurns: 50 };
    return createBaton(harness.client, harness).startRun({ goal: 'Look around.', limits, ...wishes });
  }

  async function stored(runId: string): Promise<StoredRun> {
    const run = await readStoredRun(harness.store.forRun(runId));
    if (run === undefined) throw new Error(`${runId} is not in the store`);
    return run;
  }

  async function fromServer(runId: string): Promise<View> {
    const store = harness.store.forRun(runId);
    const audit = await auditRun(harness.client, store);
    const agents = ids(audit).length;
    const tree = await until(async () => {
      const found = await agentTree(harness.client, `run/${runId}`);
      return treeIds(found).length === agents && closed(found) ? found : undefined;
    });
    return {
      audit,
      tree: comparable(tree),
      report: comparable(await gatherReport(harness.client, runId, () => Promise.resolve(store))),
      artifacts: await queriedFiles.artifactsOf(harness.client, runId),
      workspace: await queriedFiles.workspaceOf(harness.client, runId).catch(String),
    };
  }

  async function fromStore(runId: string): Promise<View> {
    const run = await stored(runId);
    return {
      audit: await auditStoredRun(run),
      tree: comparable(await storedAgentTree(run, storedTree(run.root))),
      report: comparable(await storedReport(run)),
      artifacts: storedArtifacts(run),
      workspace: tried(() => storedWorkspace(run)),
    };
  }

  async function expectSameFromStore(runId: string): Promise<View> {
    const live = await fromServer(runId);
    const fromRecord = await fromStore(runId);
    expect({ ...fromRecord, tree: withoutLostSummary(fromRecord.tree, live.tree) }).toEqual(live);
    expect(differences(fromRecord.audit)).toEqual([]);
    return fromRecord;
  }

  test('equals what the server tells: nested delegations, a batch with a failed child, files and artifacts', async () => {
    const script = byDepth(
      scriptByTurn(
        useTool('dispatch_subagent', dispatch()),
        useTool('dispatch_subagents', batch(['one', 'two', 'bad'])),
        useTools([
          { name: 'write_file', input: { path: 'src/new.ts', content: 'export {};\n' } },
          { name: 'write_artifact', input: { name: 'REPORT.md', content: '# Report' } },
        ]),
        say(`All done. ${'Much to say. '.repeat(60)}`),
      ),
      (call) => {
        if (reasonOf(call) === 'bad') return refuse();
        const isIsolated = call.systemText.includes('# Delegation Overview');
        if (!isIsolated) return call.turn === 0 ? useTool('add_note', { text: reasonOf(call) }) : say('Fine.');
        return call.turn === 0 ? useTool('dispatch_subagent', dispatch({ instructions: 'Dig.' })) : say('Dug.');
      },
      () => say('At the bottom.'),
    );
    const runId = await play(script, { workspace, budget: { tokens: 1_000_000 } });
    const { audit, report } = await expectSameFromStore(runId);
    expect(ids(audit)).toHaveLength(6);
    const { status, agents } = report as ReportModel;
    expect(status).toBe('completed');
    expect(agents.map((agent) => agent.failure?.type ?? null).filter((type) => type !== null)).toEqual([
      'Model.Refused',
    ]);
    expect(await auditedAfterChange(runId)).toMatch(/its delegation id is \w{26} when it is computed again/);
  });

  /** Changes the recorded payload of a delegation, and audits. */
  async function auditedAfterChange(runId: string): Promise<string> {
    const { children } = (await stored(runId)).root;
    const { delegationId } = children[0]!.delegation!;
    const file = await fileOf(runId, `delegation/${delegationId}`);
    await file.replace('Find out what there is.', 'Find out what there was.');
    const changed = await auditStoredRun(await stored(runId));
    await file.restore();
    return differences(changed)[0] ?? '';
  }

  /** The file of a journal record. Replacing text keeps its header valid, as someone would who wants to hide it. */
  async function fileOf(runId: string, key: string) {
    const folder = join(harness.folder, 'store', 'runs', runId, 'journal');
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const file = await readFile(path);
      const end = file.indexOf('\n');
      const header = JSON.parse(file.toString('utf8', 0, end)) as { key: string; sha256: string };
      if (header.key !== key) continue;
      return {
        async replace(from: string, to: string) {
          const body = file.toString('utf8', end + 1).replaceAll(from, to);
          await writeFile(path, `${JSON.stringify({ key, sha256: sha256(body) })}\n${body}`);
        },
        restore: () => writeFile(path, file),
      };
    }
    throw new Error(`${key} is not in the journal`);
  }

  test('equals what the server tells: a relay, whose steps are skills', async () => {
    harness.model.setScript((call) =>
      call.turn === 0 ? useTool('write_artifact', { name: 'DISCOVERY.md', content: 'FOUND' }) : say(discovered),
    );
    const relay = relayNamed('look', [
      {
        name: 'research',
        skill: 'researcher',
        input: { goal: { from: 'goal' } },
        artifacts: ['DISCOVERY.md'],
      },
    ]);
    const handle = await playRelay(harness, relay, { workspace });
    await handle.result();
    const { report } = await expectSameFromStore(runIdOf(handle.workflowId) ?? '');
    expect((report as ReportModel).agents.map(({ skill }) => skill)).toEqual([null, 'researcher']);
  });

  test('equals what the server tells: a skill, a handoff, an operator decision, and a run that failed', async () => {
    const root = handingOver((call) => {
      if (handoffsBefore(call) === 0) return useTool('look_up', { seed: call.turn, bytes: 8_000 });
      if (call.turn > 0) return refuse();
      return useTool('dispatch_skill', { skill: 'researcher', input: { goal: 'Where is the login?' } });
    });
    const skill = scriptByTurn(useTool('write_artifact', { name: 'DISCOVERY.md', content: 'FOUND' }), say(discovered));
    harness.model.setScript((call) => (skillOf(call) === '' ? root(call) : skill(call)));
    const model = { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 20_000 };
    const run = await begin({ workspace, onFailure: 'hold', model });
    const agent = operated(harness.client, run.workflowId);
    const { id } = await agent.incident();
    await agent.decide({ incident: id, action: 'abort', by: 'ann', note: 'Enough.' });
    await run.result();
    const { report } = await expectSameFromStore(run.runId);
    expect((report as ReportModel).agents).toMatchObject([
      { status: 'failed', failure: { type: 'Agent.Aborted' }, decisions: [{ by: 'ann' }], handoffs: [{ number: 1 }] },
      { status: 'completed', skill: 'researcher' },
    ]);
  });

  test('says how an agent ended if it was cancelled, and nothing if it was terminated', async () => {
    let waiting = 0;
    harness.model.setScript((call) => {
      if (depthOf(call) === 0) return useTool('dispatch_subagents', batch(['stay']));
      if (call.turn === 0) return useTool('add_note', { text: 'Here.' });
      waiting += 1;
      return hang();
    });
    const [cancelled, terminated] = [await begin({}), await begin({})];
    await until(() => waiting === 2 || undefined);
    await cancelled.cancel();
    await harness.client.workflow.getHandle(terminated.workflowId).terminate('test');
    await cancelled.result();
    const ends = async (runId: string): Promise<unknown[]> =>
      everyStoredAgent((await stored(runId)).root).map(({ ended }) => ended?.status ?? null);
    expect(await ends(cancelled.runId)).toEqual(['cancelled', 'cancelled']);
    expect(await ends(terminated.runId)).toEqual([null, null]);
    const run = await stored(terminated.runId);
    expect(differences(await auditStoredRun(run))).toEqual([]);
    const { status, gaps, agents } = await storedReport(run);
    expect(status).toBe('unknown');
    expect(gaps.join('\n')).toMatch(/Ended is not recorded for: root, /);
    expect(agents.map(({ turns, microUsd }) => [turns, (microUsd ?? 0) > 0])).toEqual([
      [1, true],
      [1, true],
    ]);
  });
});

function tried(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return String(error);
  }
}

function ids({ workflowId, children }: AuditedAgent): string[] {
  return [workflowId, ...children.flatMap(ids)];
}

function treeIds({ workflowId, children }: AgentTree): string[] {
  return [workflowId, ...children.flatMap(treeIds)];
}

function closed({ closedAt, children }: AgentTree): boolean {
  return closedAt !== null && children.every(closed);
}

function differences({ difference, children }: AuditedAgent): string[] {
  return [...(difference === null ? [] : [difference]), ...children.flatMap(differences)];
}

/** The server keeps the summary of a workflow only until it continues as new. */
function withoutLostSummary(tree: unknown, live: unknown): unknown {
  const isLost = isAgent(live) && 'summary' in live && live.summary === '';
  return isLost && isAgent(tree) ? { ...tree, summary: '' } : tree;
}

/** Both places estimate `activeTokens`: an agent before it sends the results of its tools, the store from what was sent. */
const otherFields = new Set(['startedAt', 'endedAt', 'closedAt', 'madeAt', 'segments', 'gaps', 'activeTokens']);

/** Without what only histories contain: times of the server, and timelines. Agents in the order of their ids. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(comparable);
    return items.every(isAgent) ? items.sort((a, b) => (a.workflowId < b.workflowId ? -1 : 1)) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !otherFields.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, comparable(field)]));
}

function isAgent(value: unknown): value is { workflowId: string } {
  return typeof value === 'object' && value !== null && 'workflowId' in value;
}
