import { runIdOf, runWorkflowId } from './ids';
import { CliError, exitCodes } from '../../cli/context';

const path = /^[a-zA-Z0-9][a-zA-Z0-9._-]*(\/[a-zA-Z0-9][a-zA-Z0-9._-]*)*$/;

/** Number of characters shown of a delegation id. This is enough to distinguish the delegations of a run. */
export const abbreviatedIdLength = 8;

/**
 * Parses what a user typed (a run id, `<run>/<delegation>/…` or a workflow id) into a workflow id. Throws a
 * `CliError`.
 */
export function parseAgentId(target: string): string {
  if (!path.test(target)) {
    throw new CliError(
      exitCodes.misused,
      `"${target}" is not a valid run or agent id.`,
      'Pass a run id, <run>/<delegation>, or a workflow id. List runs with: baton list',
    );
  }
  return target.startsWith('run/') ? target : runWorkflowId(target);
}

/** Returns the id of the run that an agent belongs to. */
export function owningRunId(workflowId: string): string {
  return runIdOf(workflowId) ?? workflowId;
}

/** Returns the delegation ids from the root to an agent. Empty for the root. */
export function delegationPath(workflowId: string): readonly string[] {
  return workflowId.split('/').slice(2);
}

/** Returns the workflow id of an agent's parent; undefined for the root. */
export function parentOf(workflowId: string): string | undefined {
  return delegationPath(workflowId).length === 0 ? undefined : workflowId.slice(0, workflowId.lastIndexOf('/'));
}

/** Formats a workflow id the way commands accept it: `<run>` or `<run>/<delegation>/…`. */
export function displayId(workflowId: string): string {
  return workflowId.replace(/^run\//, '');
}

/** Abbreviates a generated id to its first characters. Ids that are short anyway are returned unchanged. */
export function abbreviateId(id: string): string {
  return id.length > 2 * abbreviatedIdLength ? id.slice(0, abbreviatedIdLength) : id;
}

/** Returns the label of an agent in lists: `root`, or the first characters of its delegation id. */
export function agentLabel(workflowId: string): string {
  const last = delegationPath(workflowId).at(-1);
  return last === undefined ? 'root' : abbreviateId(last);
}
