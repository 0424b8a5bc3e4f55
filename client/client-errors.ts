/**
 * The kinds of expected errors that the library throws. Each is a stable string, so programs can branch on it:
 *
 * - `Client.NotFound`: the run, agent or delegation does not exist on this server.
 * - `Client.NoWorkspace`: the run was started without a workspace.
 * - `Client.NoIncident`: the agent has no open incident, so there is nothing to decide.
 * - `Client.Refused`: the agent received the request and refused it.
 * - `Client.Ambiguous`: several agents or incidents match. The message lists them.
 * - `Client.NotApplicable`: the agent has an open incident, but this action does not apply to it.
 * - `Client.ParentMovedOn`: the agent that delegated this has already received its failure.
 * - `Client.InvalidCursor`: the cursor is damaged, belongs to another run, or points into a deleted history.
 * - `Client.NoWorker`: no worker answered in time.
 */
export type BatonErrorType =
  | 'Client.NotFound'
  | 'Client.NoWorkspace'
  | 'Client.NoIncident'
  | 'Client.Refused'
  | 'Client.Ambiguous'
  | 'Client.NotApplicable'
  | 'Client.ParentMovedOn'
  | 'Client.InvalidCursor'
  | 'Client.NoWorker';

/**
 * An expected failure that the caller can act on. Invalid values are reported differently, as an `InvalidInputError`,
 * and a lost connection is thrown as the Temporal client reports it.
 *
 * @example
 * try {
 *   await batonRun(client, 'licenses-7').decide(null, { action: 'retry' });
 * } catch (error) {
 *   if (!(error instanceof BatonError && error.type === 'Client.NoIncident')) throw error;
 * }
 */
export class BatonError extends Error {
  override readonly name: string = 'BatonError';

  constructor(
    readonly type: BatonErrorType,
    message: string,
    /** Says what to do, often with a command to copy; undefined when the message says all there is to say. */
    readonly remedy?: string,
  ) {
    super(message);
  }
}

/** Thrown when an agent has no open incident. A separate class, because an agent below it may have one. */
export class NoMatchingIncidentError extends BatonError {
  override readonly name = 'NoMatchingIncidentError';

  constructor(target: string) {
    super('Client.NoIncident', `${target} has no open incident.`, `Check its status with: baton why ${target}`);
  }
}

/** Several delegations match a name. */
export function ambiguousAgent(runId: string, name: string, ids: readonly string[]): BatonError {
  const more = ids.length > maxListed ? [`  … and ${ids.length - maxListed} more`] : [];
  const listed = [...ids.slice(0, maxListed).map((id) => `  ${id}`), ...more].join('\n');
  return new BatonError(
    'Client.Ambiguous',
    `"${name}" matches ${ids.length} delegations of run ${runId}:\n${listed}`,
    'Pass one of these ids.',
  );
}

const maxListed = 20;

/** No delegation of a run matches a name. */
export function missingDelegation(runId: string, name: string): BatonError {
  return new BatonError(
    'Client.NotFound',
    `Run ${runId} has no delegation "${name}".`,
    `List its delegations with: baton tree ${runId} --all`,
  );
}

/** A run does not exist. */
export function missingRun(runId: string): BatonError {
  return new BatonError('Client.NotFound', `Run "${runId}" does not exist.`, 'List runs with: baton list');
}
