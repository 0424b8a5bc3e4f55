import { remedyFor } from '../format';
import { commandAfter } from '../operator/reset-point';
import type { ViewFailure } from './run-view';

type Failure = Pick<ViewFailure, 'type' | 'message'>;

/** Adds what to do about a failure, unless its message says it. */
export function withRemedy({ type, message }: Failure): ViewFailure {
  const remedy = remedyFor(type);
  return { type, message, ...(remedy === undefined || message.includes(remedy) ? {} : { remedy }) };
}

/** Adds what to do about the failure of an agent that the server still has, and the command that continues it. */
export function withCommand(workflowId: string, failure: Failure): ViewFailure {
  // Without a failed delegation, a relay would fail again.
  const command = failure.type === 'Relay.Failed' ? {} : { command: commandAfter(workflowId, failure) };
  return { ...withRemedy(failure), ...command };
}
