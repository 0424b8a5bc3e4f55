import { WorkflowFailedError } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { runWorkflowId } from '../../../domain/kernel';
import { builtInSlices, createSessionSchema, emptySession, snapshot } from '../../../domain/session';
import { textsWorkflowId } from '../../../domain/store';
import { hang, say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { messageContracts } from '../../../workflows/contracts';
import { batch } from '../../support/batches';
import { Harness } from '../../support/harness';
import {
  failedTasks,
  foreign,
  json,
  payload,
  RawRequests,
  startRaw,
  unreadable,
  type RawPayload,
} from '../../support/raw-requests';
import { playRelay, relayNamed } from '../../support/relays';
import { shipped, writeProject } from '../../support/skill-project';
import { until } from '../../support/until';

type Contract = (typeof messageContracts)[number];

/** A valid argument of every message; undefined for none. A message without an entry is a type error. */
const valid: Readonly<Record<Contract['name'], object | undefined>> = {
  snapshot: undefined,
  files: undefined,
  session: undefined,
  beforeTurn: { turn: 1 },
  isClosed: undefined,
  closeSession: undefined,
  applyTurns: { requests: [] },
  operatorDecision: { incident: 'i7', action: 'retry' },
  pause: { by: 'ann' },
  resume: {},
  steer: { text: 'Look at the tests.' },
  readText: { of: 'answer' },
  setPaused: { paused: false },
  standing: { decisions: [] },
  parked: { delegationId: 'abc', self: false, below: 0, returns: 1 },
  admitted: { returns: 1 },
};

/** Everything that a message may be sent with, by what it is. */
function argumentsFor({ name }: Contract): Readonly<Record<string, readonly RawPayload[]>> {
  return {
    nothing: [],
    null: [json(null)],
    'null of other clients': [payload('binary/null', '')],
    'an empty object': [json({})],
    'a number': [json(7)],
    'a text': [json('text')],
    'a list': [json([{}])],
    'wrong fields': [json(Object.fromEntries(Object.keys(valid[name] ?? {}).map((field) => [field, { wrong: [] }])))],
    'one more field': [json({ ...valid[name], unheardOf: 1 })],
    'names of prototypes': [payload('json/plain', '{"__proto__":{"paused":1},"constructor":{"prototype":null}}')],
    'two arguments': [json(valid[name] ?? null), json('second')],
    'a key of someone else': [foreign],
    'a second argument with a key of someone else': [json(valid[name] ?? null), foreign],
    ...Object.fromEntries(Object.entries(unreadable).map(([what, sent]) => [what, [sent]])),
  };
}

/** Whether a contract accepts what was sent, as this test decodes it. */
function isAccepted({ input }: Contract, [first]: readonly RawPayload[]): boolean {
  if (first === undefined || Buffer.from(first.metadata?.['encoding'] ?? '').toString() === 'binary/null') {
    return input.safeParse(undefined).success;
  }
  if ([...Object.values(unreadable), foreign].includes(first)) return false;
  return input.safeParse(JSON.parse(Buffer.from(first.data ?? '').toString()) ?? undefined).success;
}

/** Sends a message once and compares what happens with its contract. Returns what is wrong. */
async function send(to: RawRequests, contract: Contract, sent: readonly RawPayload[], isHandled: boolean) {
  const expected = isHandled && isAccepted(contract, sent);
  if (contract.kind === 'signal') {
    await to.signal(contract.name, sent);
    return undefined;
  }
  const answer = await (contract.kind === 'query' ? to.query(contract.name, sent) : to.update(contract.name, sent));
  if (expected) return answer.ok || answer.type === 'Input.Invalid' ? undefined : answer.message;
  if (answer.ok) return 'was accepted';
  const isClear = !isHandled || answer.type === 'Input.Invalid' || answer.message.includes('input: ');
  return isClear ? undefined : `${answer.type}: ${answer.message}`;
}

const agentMessages = messageContracts
  .map(({ name }) => name)
  .filter((name) => !/^(applyTurns|readText|.*[cC]lose.*)$/.test(name));
/** Agents and hosts both have a session. */
const hostMessages = messageContracts
  .map(({ name }) => name)
  .filter((name) => name === 'session' || (name !== 'readText' && !agentMessages.includes(name)));

describe('a message of any content', () => {
  let harness: Harness;
  const targets: Record<string, RawRequests> = {};

  beforeAll(async () => {
    const skills = await shipped();
    harness = await Harness.start(() => say('no script'), { skills });
    harness.model.setScript((call) => {
      // A root that delegates, and delegations and relay steps that never end.
      return call.systemText.includes('Delegate it.') && !call.systemText.includes('Do this:')
        ? scriptByTurn(useTool('dispatch_subagents', batch(['wait'])))(call)
        : hang();
    });
    const run = await harness.startRun({ goal: 'Delegate it.' });
    const { client } = harness;
    const relay = await playRelay(
      harness,
      relayNamed('r', [{ name: 'one', skill: 'researcher', input: { goal: { from: 'goal' } } }]),
      { workspace: { root: await writeProject(join(harness.folder, 'project')) } },
    );
    const pending = await until(async () => {
      const { raw } = await client.workflow.getHandle(run.workflowId).describe();
      const ids = (raw.pendingChildren ?? []).map(({ workflowId }) => workflowId ?? '');
      return ids.length === 2 ? ids : undefined;
    });
    const host = pending.find((id) => id.includes('/session-'))!;
    const delegation = pending.find((id) => id !== host)!;
    // It ends when it gets no request for this long, and its turn comes after the other types'.
    const patient = json({ idleMs: 600_000 });
    const workflowIds = {
      runWorkflow: run.workflowId,
      relayWorkflow: relay.workflowId,
      delegationWorkflow: delegation,
      sessionWorkflow: host,
      textsWorkflow: await startRaw(
        client,
        harness.taskQueue,
        'textsWorkflow',
        [patient],
        textsWorkflowId(randomUUID()),
      ),
    };
    for (const [type, workflowId] of Object.entries(workflowIds)) targets[type] = new RawRequests(client, workflowId);
  });
  afterAll(() => harness.close());

  const handled: Readonly<Record<string, readonly string[]>> = {
    sessionWorkflow: hostMessages,
    textsWorkflow: ['readText'],
  };
  const handledBy = (type: string): readonly string[] => handled[type] ?? agentMessages;
  /** A Query that a workflow of this type answers if its workflow tasks complete. */
  const queries: Readonly<Record<string, string>> = {
    sessionWorkflow: 'isClosed',
    textsWorkflow: '__temporal_workflow_metadata',
  };
  const queryOf = (type: string): string => queries[type] ?? 'snapshot';
  const types = ['runWorkflow', 'relayWorkflow', 'delegationWorkflow', 'sessionWorkflow', 'textsWorkflow'];

  test.each(types)('does not stop a %s', async (type) => {
    const to = targets[type]!;
    const problems: string[] = [];
    for (const contract of messageContracts) {
      // It closes a host when it is sent properly, so that nothing more could be sent.
      if (type === 'sessionWorkflow' && contract.name === 'closeSession') continue;
      const isHandled = handledBy(type).includes(contract.name);
      for (const [what, sent] of Object.entries(argumentsFor(contract))) {
        const problem = await send(to, contract, sent, isHandled);
        if (problem !== undefined) problems.push(`${contract.name} with ${what}: ${problem}`);
      }
      // Answered only if the workflow tasks of all signals have completed.
      const alive = await to.query(queryOf(type));
      if (!alive.ok) problems.push(`after ${contract.name}: ${alive.message}`);
      if (!alive.ok) break;
    }
    expect(problems).toEqual([]);
    expect(await failedTasks(harness.client, to.workflowId)).toEqual([]);
  });

  test.each(types)('does not stop a %s when its name is unknown or it is very long', async (type) => {
    const to = targets[type]!;
    const long = [json({ paused: 'x'.repeat(1_500_000) })];
    for (const name of [
      'nobody',
      '__temporal_x',
      '__stack_trace',
      '__proto__',
      'constructor',
      'setPaused',
      'isClosed',
    ]) {
      await to.signal(name, long.slice(0, name === 'setPaused' ? 1 : 0));
      await to.signal(name, [unreadable['cut JSON']!]);
      expect(await to.update(name, [unreadable['cut JSON']!])).toMatchObject({ ok: false });
      await to.query(name, [unreadable['cut JSON']!]);
    }
    expect(await to.update('steer', [json({ text: 'x'.repeat(1_500_000) })])).toMatchObject({ ok: false });
    expect(await to.query(queryOf(type))).toEqual({ ok: true });
    expect(await failedTasks(harness.client, to.workflowId)).toEqual([]);
  });

  test('does not close a session by mistake, and closes it when it is right', async () => {
    const schema = createSessionSchema(builtInSlices);
    const runId = `messages-${randomUUID()}`;
    const start = { runId, storeId: 'x', session: { inline: snapshot(schema, emptySession(schema)) } };
    const id = `${runWorkflowId(runId)}/session-1`;
    const workflowId = await startRaw(harness.client, harness.taskQueue, 'sessionWorkflow', [json(start)], id);
    const to = new RawRequests(harness.client, workflowId);
    for (const sent of [json({}), json('x'), foreign, ...Object.values(unreadable)])
      await to.signal('closeSession', [sent]);
    expect(await harness.client.workflow.getHandle(workflowId).query('isClosed')).toBe(false);
    await to.signal('closeSession', [json(null)]);
    expect(await harness.client.workflow.getHandle(workflowId).result()).toEqual({ inline: start.session.inline });
    expect(await failedTasks(harness.client, workflowId)).toEqual([]);
  });

  test('leaves every workflow able to be cancelled', async () => {
    for (const type of ['relayWorkflow', 'runWorkflow', 'textsWorkflow']) {
      const handle = harness.client.workflow.getHandle(targets[type]!.workflowId);
      await handle.cancel();
      const error: unknown = await handle.result().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(WorkflowFailedError);
      expect((await handle.describe()).status.name).toBe('CANCELLED');
    }
    for (const type of types) {
      const { workflowId } = targets[type]!;
      expect((await harness.client.workflow.getHandle(workflowId).describe()).status.name).not.toBe('RUNNING');
      expect(await failedTasks(harness.client, workflowId)).toEqual([]);
    }
  });
});
