import { ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { BatonError } from '../client/client-errors';
import { findStoredAgent, readStoredRun, type StoredRun } from '../client/record/stored-run';
import { owningRunId, parseAgentId, runWorkflowId } from '../domain/kernel';
import { grpcStatus, grpcStatusOf, isServerUnavailable } from '../temporal-config/node/connection-failure';
import { ConnectionFailedError, ServerSetupError } from '../temporal-config/node/setup-error';
import { type CliContext, type OpenConnection, withConnection } from './context';

/** The two places that a command can read a run from. */
export interface RunSources<T> {
  server(connected: OpenConnection): Promise<T>;
  store(run: StoredRun): T | Promise<T>;
}

/**
 * Reads a run, or an agent of it, from the server. If the server no longer has it, or can't be reached, reads it from the
 * store instead, and says so. If the store has no record of the run either, throws the error of the server.
 */
export async function fromServerOrStore<T>(context: CliContext, target: string, sources: RunSources<T>): Promise<T> {
  const runId = owningRunId(parseAgentId(target));
  try {
    return await withConnection(context, (connected) => sources.server(connected));
  } catch (error) {
    const reason = whyNotServer(error, runWorkflowId(runId));
    const run = reason === undefined ? undefined : await storedRun(context, runId);
    if (reason === undefined || run === undefined) throw error;
    // Throws if the store does not have the agent either. Where it was looked for is then of no interest.
    findStoredAgent(run, target);
    context.terminal.note(`From the store; the server ${reason}.`);
    return sources.store(run);
  }
}

/** What `whyNotServer` says about a server that does not answer. */
export const unreachable = 'is unreachable';

/** Says why the server could not tell; undefined for any other error. */
export function whyNotServer(error: unknown, rootId: string): string | undefined {
  if (error instanceof ConnectionFailedError || error instanceof ServerSetupError || isServerUnavailable(error))
    return unreachable;
  const isPart = error instanceof WorkflowNotFoundError && error.workflowId !== rootId;
  return isMissing(error) ? `no longer has ${isPart ? 'all of ' : ''}this run` : undefined;
}

function isMissing(error: unknown): boolean {
  if (error instanceof BatonError) return error.type === 'Client.NotFound';
  const cause = error instanceof ServiceError ? error.cause : error;
  return error instanceof WorkflowNotFoundError || grpcStatusOf(cause) === grpcStatus.notFound;
}

/** A store that can't be opened must not hide why the server could not tell. */
async function storedRun(context: CliContext, runId: string): Promise<StoredRun | undefined> {
  const store = await context.openStore().catch(() => undefined);
  return store && readStoredRun(store.forRun(runId));
}
