import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { z } from 'zod';
import { activityContracts } from '../../activities/contracts';
import { messageContracts, workflowContracts } from '../../workflows/contracts';
import { readRecorded, recordedFiles } from './recorded';

// Runs that another version of Baton started must still be understood. So the contracts have to accept every payload in
// the recorded histories, and to name every field of it: a field that is not in its schema would be lost.

const { History } = temporal.api.history.v1;

/** A payload in a history, with the schema that describes it. */
interface Sent {
  readonly what: string;
  readonly schema: z.ZodType;
  readonly value: unknown;
}

interface Contract {
  readonly name: string;
  readonly input: z.ZodType;
  readonly result: z.ZodType;
}

function find(contracts: readonly Contract[], name: string | null | undefined): Contract {
  const contract = contracts.find((each) => each.name === name);
  if (contract === undefined) throw new Error(`There is no contract for ${name}`);
  return contract;
}

/** The first payload; undefined when there is none. */
function decode(payloads: readonly unknown[] | null | undefined): unknown {
  const [payload] = payloads ?? [];
  return payload === undefined ? undefined : defaultPayloadConverter.fromPayload(payload as Payload);
}

function sentIn(file: string): Sent[] {
  const { events } = History.fromObject(readRecorded(file).history);
  const types = new Map<string, string>();
  const updates = new Map<string, string>();
  let workflow = '';
  return events.flatMap((event): Sent[] => {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) {
      workflow = started.workflowType?.name ?? '';
      return [sent(workflowContracts, workflow, 'input', started.input?.payloads)];
    }
    const completed = event.workflowExecutionCompletedEventAttributes;
    if (completed) return [sent(workflowContracts, workflow, 'result', completed.result?.payloads)];
    const continued = event.workflowExecutionContinuedAsNewEventAttributes;
    if (continued) return [sent(workflowContracts, workflow, 'input', continued.input?.payloads)];
    const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (child) return [sent(workflowContracts, child.workflowType?.name, 'input', child.input?.payloads)];
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const name = scheduled.activityType?.name ?? '';
      types.set(String(event.eventId), name);
      return [sent(activityContracts, name, 'input', scheduled.input?.payloads)];
    }
    const done = event.activityTaskCompletedEventAttributes;
    if (done)
      return [sent(activityContracts, types.get(String(done.scheduledEventId)), 'result', done.result?.payloads)];
    const signaled = event.workflowExecutionSignaledEventAttributes;
    if (signaled) return [sent(messageContracts, signaled.signalName, 'input', signaled.input?.payloads)];
    const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
    if (accepted) {
      const { name, args } = accepted.acceptedRequest?.input ?? {};
      updates.set(accepted.acceptedRequest?.meta?.updateId ?? '', name ?? '');
      return [sent(messageContracts, name, 'input', args?.payloads)];
    }
    const updated = event.workflowExecutionUpdateCompletedEventAttributes;
    if (!updated?.outcome?.success) return [];
    const name = updates.get(updated.meta?.updateId ?? '');
    return [sent(messageContracts, name, 'result', updated.outcome.success.payloads)];
  });
}

function sent(
  contracts: readonly Contract[],
  name: string | null | undefined,
  side: 'input' | 'result',
  payloads: readonly unknown[] | null | undefined,
): Sent {
  return { what: `${side} of ${name}`, schema: find(contracts, name)[side], value: decode(payloads) };
}

/** The value without `workspace.base`, which `prepareDelegations` is sent and does not need. */
function withoutBase(value: unknown): unknown {
  const { workspace } = Object(value) as { workspace?: { base?: unknown } | null };
  if (workspace?.base === undefined) return value;
  const { base: _, ...rest } = workspace;
  return { ...Object(value), workspace: rest };
}

describe('contracts', () => {
  test.each(recordedFiles())('describe every payload of %s', (file) => {
    for (const { what, schema, value } of sentIn(file)) {
      const parsed = schema.safeParse(value);
      expect({ what, problems: parsed.error?.issues ?? [] }).toEqual({ what, problems: [] });
      const expected = what === 'input of prepareDelegations' ? withoutBase(value) : value;
      expect({ what, value: parsed.data }).toEqual({ what, value: expected });
    }
  });

  test('exist once per wire name', () => {
    for (const contracts of [activityContracts, workflowContracts, messageContracts]) {
      const names = contracts.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  test('occur in the histories, so that this test proves something', () => {
    const seen = new Set(recordedFiles().flatMap((file) => sentIn(file).map(({ what }) => what)));
    for (const name of ['runTurn', 'executeTool', 'prepareDelegations', 'applySession', 'takeHandoff', 'pickOutput'])
      expect([...seen]).toEqual(expect.arrayContaining([`input of ${name}`, `result of ${name}`]));
  });
});
