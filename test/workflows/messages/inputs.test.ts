import { WorkflowFailedError, type WorkflowExecutionDescription } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { runWorkflowId } from '../../../domain/kernel';
import { textsWorkflowContract, textsWorkflowId } from '../../../domain/store';
import { hang, say, useTool } from '../../../testing/scripted-model';
import { workflowContracts } from '../../../workflows/contracts';
import { batch } from '../../support/batches';
import { failureOf } from '../../support/failures';
import { Harness } from '../../support/harness';
import { failedTasks, json, payload, startRaw, unreadable, type RawPayload } from '../../support/raw-requests';
import { playRelay, relayNamed } from '../../support/relays';
import { shipped, writeProject } from '../../support/skill-project';
import { until } from '../../support/until';

type Contract = (typeof workflowContracts)[number];
type Input = Readonly<Record<string, unknown>>;

let harness: Harness;
/** Inputs that Baton itself has started workflows with, by workflow type. */
const inputs = new Map<string, Input>();

beforeAll(async () => {
  const skills = await shipped();
  harness = await Harness.start(() => say('no script'), { skills });
  // The root continues as new after its first turn and then delegates; delegations and relay steps never end.
  harness.model.setScript((call) => {
    if (call.systemText.includes('Do this:') || !call.systemText.includes('Delegate it.')) return hang();
    return call.turn === 0 ? useTool('list_artifacts', {}) : useTool('dispatch_subagents', batch(['wait']));
  });
  const run = await harness.startRun({ goal: 'Delegate it.', tuning: { turnsPerExecution: 1 } });
  const relay = await playRelay(
    harness,
    relayNamed('r', [{ name: 'one', skill: 'researcher', input: { goal: { from: 'goal' } } }]),
    { workspace: { root: await writeProject(join(harness.folder, 'project')) } },
  );
  const described = await until(async () => {
    const description = await harness.client.workflow.getHandle(run.workflowId).describe();
    return (description.raw.pendingChildren ?? []).length === 2 ? description : undefined;
  });
  const children = (described.raw.pendingChildren ?? []).map(({ workflowId }) => workflowId ?? '');
  for (const workflowId of [run.workflowId, relay.workflowId, ...children]) {
    const { events } = await harness.client.workflow.getHandle(workflowId).fetchHistory();
    const started = events?.[0]?.workflowExecutionStartedEventAttributes;
    inputs.set(
      started?.workflowType?.name ?? '',
      defaultPayloadConverter.fromPayload(started?.input?.payloads?.[0] as Payload),
    );
  }
});
afterAll(() => harness.close());

/** Starts a workflow and returns the failure that closes it. */
async function failureFor(
  type: string,
  sent: readonly RawPayload[],
  id?: string,
): Promise<{ type?: unknown; message: string }> {
  const workflowId = await startRaw(harness.client, harness.taskQueue, type, sent, id);
  const failure = await failureOf(harness.client.workflow.getHandle(workflowId));
  expect(await failedTasks(harness.client, workflowId)).toEqual([]);
  return failure;
}

const wrongAsAWhole: Readonly<Record<string, readonly RawPayload[]>> = {
  nothing: [],
  null: [json(null)],
  'an empty object': [json({})],
  'a number': [json(7)],
  'a text': [json('text')],
  'a list': [json(['text'])],
  'names of prototypes': [payload('json/plain', '{"__proto__":{"runId":"x"},"constructor":{"prototype":null}}')],
  'a very long text': [json('x'.repeat(1_500_000))],
  ...Object.fromEntries(Object.entries(unreadable).map(([what, sent]) => [what, [sent]])),
};

const withRequiredInput = workflowContracts.filter(({ input }) => !input.safeParse(undefined).success);

describe.each(withRequiredInput.map((contract) => [contract.name, contract] as const))('a %s', (type, contract) => {
  test('fails at once when its input is not one', async () => {
    for (const [what, sent] of Object.entries(wrongAsAWhole)) {
      const failure = await failureFor(type, sent);
      expect({ what, type: failure.type }).toEqual({ what, type: 'Input.Invalid' });
      expect(failure.message).toMatch(/^\w+: .+\. Correct this value and start the \w+ again\.$/);
    }
  });

  test('fails at once when a field is wrong, and names the field', async () => {
    const started: Started[] = [];
    for (const { field, input } of withWrongFields(inputs.get(type)!))
      started.push(await start(contract, field, input));
    for (const one of started) await check(one);
    // Otherwise the test would prove nothing.
    expect(started.filter(({ isRefused }) => isRefused).length).toBeGreaterThan(5);
  });

  test('refuses or ignores a field that it does not know, as its contract says', async () => {
    await check(await start(contract, 'unheardOf', { ...inputs.get(type), unheardOf: { __proto__: null } }));
  });
});

test('a textsWorkflow, which needs no input, fails at once if there is another one than it knows', async () => {
  const { name, input } = textsWorkflowContract;
  const wrong = { ...wrongAsAWhole, 'a wrong field': [json({ idleMs: 'long' })] };
  const isKnown = ([, [sent]]: [string, readonly RawPayload[]]): boolean =>
    sent === undefined || ['null', '{}'].includes(Buffer.from(sent.data ?? []).toString());
  const refused = Object.entries(wrong).filter((each) => !isKnown(each));
  expect(refused.length).toBeGreaterThan(5);
  expect(input.safeParse({ idleMs: 'long' }).success).toBe(false);
  for (const [what, sent] of refused) {
    const failure = await failureFor(name, sent, textsWorkflowId(`inputs-${randomUUID()}`));
    expect({ what, type: failure.type }).toEqual({ what, type: 'Input.Invalid' });
  }
});

test('an execution that continues as new is checked like the first', async () => {
  const [contract] = workflowContracts;
  const input = inputs.get(contract.name)!;
  const { progress, desk } = input['resume'] as { progress: Input; desk: Input };
  const wrong = [
    ...withWrongFields(progress).map(({ field, input }) => ({ field, resume: { progress: input, desk } })),
    ...withWrongFields(desk).map(({ field, input }) => ({ field, resume: { progress, desk: input } })),
  ];
  const started: Started[] = [];
  for (const { field, resume } of wrong) started.push(await start(contract, field, { ...input, resume }));
  for (const one of started) await check(one);
  expect(started.filter(({ isRefused }) => isRefused).length).toBeGreaterThan(10);
});

/** The input with one field changed, or without it, for every field. */
function withWrongFields(input: Input): { field: string; input: Input }[] {
  return Object.keys(input).flatMap((field) => [
    { field, input: { ...input, [field]: null } },
    { field, input: { ...input, [field]: typeof input[field] === 'number' ? 'text' : -7.5 } },
    { field, input: { ...input, [field]: { inline: { slices: { files: 7 } } } } },
    { field, input: { ...input, [field]: undefined } },
  ]);
}

interface Started {
  readonly workflowId: string;
  readonly field: string;
  /** Whether the contract refuses the input. */
  readonly isRefused: boolean;
}

async function start({ name, input: schema }: Contract, field: string, changed: Input): Promise<Started> {
  // A run of its own with the right workflow id, so that nothing but the changed field can be refused.
  const runId = `inputs-${randomUUID()}`;
  const input = field === 'runId' ? changed : { ...changed, runId };
  const isRefused = !schema.safeParse(JSON.parse(JSON.stringify(input))).success;
  const id = idFor(name, runId, changed['delegationId']);
  return { workflowId: await startRaw(harness.client, harness.taskQueue, name, [json(input)], id), field, isRefused };
}

function idFor(type: string, runId: string, delegationId: unknown): string {
  if (type === 'delegationWorkflow') return `${runWorkflowId(runId)}/${String(delegationId)}`;
  return type === 'sessionWorkflow' ? `${runWorkflowId(runId)}/session-1` : runWorkflowId(runId);
}

/** An input that is refused closes the workflow. Any other may do so later, with a failure, and does not stop it. */
async function check({ workflowId, field, isRefused }: Started): Promise<void> {
  const handle = harness.client.workflow.getHandle(workflowId);
  if (isRefused) {
    const failure = await failureOf(handle);
    expect(failure).toMatchObject({ type: 'Input.Invalid', nonRetryable: true });
    expect(failure.message).toContain(field);
  } else {
    await closedOrAnswers(workflowId);
  }
  // Before it is terminated: the server also records a task as failed that was in progress at that moment.
  expect({ field, failed: await failedTasks(harness.client, workflowId) }).toEqual({ field, failed: [] });
  await handle.terminate().catch(() => undefined);
}

async function closedOrAnswers(workflowId: string): Promise<void> {
  const handle = harness.client.workflow.getHandle(workflowId);
  const isClosed = ({ status }: WorkflowExecutionDescription): boolean => status.name !== 'RUNNING';
  const query = workflowId.includes('session') ? 'isClosed' : '__temporal_workflow_metadata';
  await handle.query(query);
  if (!isClosed(await handle.describe())) return;
  const error: unknown = await handle.result().catch((reason: unknown) => reason);
  if (error instanceof Error) expect(error).toBeInstanceOf(WorkflowFailedError);
}

describe('a workflow id that does not name its run', () => {
  const runId = `ids-${randomUUID()}`;

  test.each([
    ['runWorkflow', `run/other-${runId}`],
    ['runWorkflow', `run/${runId}/below`],
    ['runWorkflow', runId],
    ['relayWorkflow', `relay/${runId}`],
    ['delegationWorkflow', `run/other-${runId}/d1`],
    ['delegationWorkflow', `run/${runId}/d2`],
    ['delegationWorkflow', `d1-${runId}`],
    ['sessionWorkflow', `run/other-${runId}/session-1`],
    ['sessionWorkflow', `run/${runId}/host`],
  ])('is rejected: %s as %s', async (type, workflowId) => {
    const input = { ...inputs.get(type)!, runId, ...(type === 'delegationWorkflow' ? { delegationId: 'd1' } : {}) };
    await startRaw(harness.client, harness.taskQueue, type, [json(input)], workflowId);
    const failure = await failureOf(harness.client.workflow.getHandle(workflowId));
    expect(failure).toMatchObject({ type: 'Input.Invalid', nonRetryable: true });
    expect(failure.message).toContain(`workflowId: it is "${workflowId}", but this input belongs to "run/${runId}`);
    expect((await harness.store.listRuns()).map((run) => run.runId)).not.toContain(runId);
  });
});
