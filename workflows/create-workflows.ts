import { builtInSlices, createSessionSchema, type Slice } from '../domain/session';
import { runDelegation, type DelegationWorkflow } from './delegation';
import { runRelay, type RelayWorkflow } from './relay';
import { runRoot, type RunWorkflow } from './run';
import { hostSession, type SessionWorkflow } from './session';

export interface WorkflowOptions {
  /** Slices of the session besides the built-in ones. */
  readonly slices?: readonly Slice[];
}

/** The workflows that a worker registers, by these names. A project with slices of its own exports them from its entry. */
export interface Workflows {
  readonly runWorkflow: RunWorkflow;
  readonly delegationWorkflow: DelegationWorkflow;
  readonly sessionWorkflow: SessionWorkflow;
  readonly relayWorkflow: RelayWorkflow;
}

export function createWorkflows({ slices = [] }: WorkflowOptions = {}): Workflows {
  const schema = createSessionSchema([...builtInSlices, ...slices]);
  return {
    runWorkflow: (start) => runRoot(schema, start),
    delegationWorkflow: (start) => runDelegation(schema, start),
    sessionWorkflow: (start) => hostSession(schema, start),
    relayWorkflow: (start) => runRelay(schema, start),
  };
}
