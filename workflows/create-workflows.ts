import { builtInSlices, createSessionSchema, type Slice } from '../domain/session';
import { runDelegation, type DelegationWorkflow } from './delegation';
import { runRoot, type RunWorkflow } from './run';

export interface WorkflowOptions {
  /** Slices of the session besides the built-in ones. */
  readonly slices?: readonly Slice[];
}

/** The workflows that a worker registers, by these names. A project with slices of its own exports them from its entry. */
export interface Workflows {
  readonly runWorkflow: RunWorkflow;
  readonly delegationWorkflow: DelegationWorkflow;
}

export function createWorkflows({ slices = [] }: WorkflowOptions = {}): Workflows {
  const schema = createSessionSchema([...builtInSlices, ...slices]);
  return {
    runWorkflow: (start) => runRoot(schema, start),
    delegationWorkflow: (start) => runDelegation(schema, start),
  };
}
