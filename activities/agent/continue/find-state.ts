import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type AgentState, type BeforeTurn, beforeTurnContract, type Continues } from '../../../domain/agent';
import { InvalidInputError, runWorkflowId } from '../../../domain/kernel';

/**
 * Returns the state of a run's root agent before a turn, as its workflow remembers it: whether it is open or has ended,
 * and whichever of its executions took the turn. Undefined if the server no longer has the run.
 */
export async function findState(
  { client }: { readonly client: Client },
  { runId, turn }: Continues,
): Promise<AgentState | undefined> {
  const workflowId = runWorkflowId(runId);
  try {
    let asked = await ask(client, { workflowId, turn });
    requireTurn(runId, turn, asked);
    let execution: string | undefined;
    while (asked.state === null) {
      execution = await executionBefore(client, workflowId, execution);
      if (execution === undefined) throw forgotten(runId, turn);
      asked = await ask(client, { workflowId, turn, execution });
    }
    return asked.state;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

interface Question {
  readonly workflowId: string;
  readonly turn: number;
  /** The latest one if omitted. */
  readonly execution?: string;
}

function ask(client: Client, { workflowId, execution, turn }: Question): Promise<BeforeTurn> {
  const handle = client.workflow.getHandle(workflowId, execution);
  return handle.query<BeforeTurn, [{ turn: number }]>(beforeTurnContract.name, { turn });
}

/** Rejects a turn that the run does not have. */
function requireTurn(runId: string, turn: number, { first, last }: Pick<BeforeTurn, 'first' | 'last'>): void {
  if (last === null)
    throw invalidTurn(`run "${runId}" has not begun its first turn`, 'Start it again from the beginning.');
  if (turn >= first && turn <= last) return;
  const turns = first === last ? `only turn ${first}` : `turns ${first} to ${last}`;
  throw invalidTurn(`it is ${turn}, but run "${runId}" can be continued from ${turns}`, 'Choose one of these.');
}

function forgotten(runId: string, turn: number): InvalidInputError {
  return invalidTurn(
    `what run "${runId}" was like before turn ${turn} is no longer known`,
    'Choose a later turn: an execution remembers the last 1,000, and the server deletes old executions.',
  );
}

function invalidTurn(reason: string, remedy: string): InvalidInputError {
  return new InvalidInputError('continues.turn', reason, remedy);
}

/** Returns the execution that an execution continued; undefined for the first. */
async function executionBefore(client: Client, workflowId: string, runId = ''): Promise<string | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
}
