import { runIdOf, runWorkflowId } from '../../domain/ids';
import { CliError, exitCodes } from '../cli';

const path = /^[a-zA-Z0-9][a-zA-Z0-9._-]*(\/[a-zA-Z0-9][a-zA-Z0-9._-]*)*$/;

/** Enough of a delegation id to tell it from others. */
export const shortIdLength = 8;

/** What a person may call an agent: a run's id, `<run>/<delegation>/…`, or a workflow id. Gives the workflow id. */
export function agentIdOf(target: string): string {
  if (!path.test(target)) {
    throw new CliError(
      exitCodes.misused,
      `"${target}" is no run and no agent.`,
      'Give the id of a run, <run>/<delegation>, or a workflow id. List the runs with: baton list',
    );
  }
  return target.startsWith('run/') ? target : runWorkflowId(target);
}

/** The run that an agent belongs to. */
export function runOf(workflowId: string): string {
  return runIdOf(workflowId) ?? workflowId;
}

/** Delegation ids on the way from the root to an agent; none for the root. */
export function delegationPath(workflowId: string): readonly string[] {
  return workflowId.split('/').slice(2);
}

export function parentOf(workflowId: string): string | undefined {
  return delegationPath(workflowId).length === 0 ? undefined : workflowId.slice(0, workflowId.lastIndexOf('/'));
}

/** As commands take it back: `<run>` or `<run>/<delegation>/…`. */
export function targetOf(workflowId: string): string {
  return workflowId.replace(/^run\//, '');
}

export function shortId(id: string): string {
  return id.length > 2 * shortIdLength ? id.slice(0, shortIdLength) : id;
}

/** A name for lists: `root`, or the first letters of the delegation's id. */
export function agentName(workflowId: string): string {
  const last = delegationPath(workflowId).at(-1);
  return last === undefined ? 'root' : shortId(last);
}
