import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { z } from 'zod';
import { activityContracts } from '../../activities/contracts';
import { messageContracts, workflowContracts } from '../../workflows/contracts';
import { readRecorded } from './recorded';

const { History } = temporal.api.history.v1;

/** A payload in a history, with the schema that describes it. */
export interface Sent {
  /** What it is, such as `input of runTurn`. */
  readonly what: string;
  readonly name: string;
  readonly side: 'input' | 'result';
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

/** Returns every payload of a recorded history that has a contract. */
export function sentIn(file: string): Sent[] {
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
  const contract = find(contracts, name);
  return { what: `${side} of ${name}`, name: contract.name, side, schema: contract[side], value: decode(payloads) };
}
