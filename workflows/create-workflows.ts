import { runWorkflowContract } from '../domain/agent';
import { delegationWorkflowContract } from '../domain/delegation';
import { relayWorkflowContract } from '../domain/relay';
import { builtInSlices, createSessionSchema, sessionWorkflowContract, type Slice } from '../domain/session';
import { textsWorkflowContract } from '../domain/store';
import { checkedWorkflow } from './checked-workflow';
import { runDelegation, type DelegationWorkflow } from './delegation/delegation-workflow';
import { runRelay, type RelayWorkflow } from './relay/relay-workflow';
import { runRootAgent, type RunWorkflow } from './agent/run-workflow';
import { hostSession, type SessionWorkflow } from './session/session-workflow';
import { isSliceInUse } from './session/slice-in-use';
import { serveTexts, type TextsWorkflow } from './store/texts-workflow';

/** Options of `createWorkflows`. */
export interface WorkflowOptions {
  /**
   * Slices of the session in addition to the built-in ones. Default: none. Their names must be unique. Adding one is
   * safe for runs in flight: it is empty, and handles events from then on.
   */
  readonly slices?: readonly Slice[];
}

/**
 * The workflows that a worker registers. Workflows start each other by these names, so a project's workflow entry must
 * export all of them, each under its own name.
 */
export interface Workflows {
  /** The root agent of a run. */
  readonly runWorkflow: RunWorkflow;
  /** One delegation: an agent that another agent dispatched. */
  readonly delegationWorkflow: DelegationWorkflow;
  /** Host of a session that several delegations share. */
  readonly sessionWorkflow: SessionWorkflow;
  /** A relay: a chain of skills, in which every step is a delegation. */
  readonly relayWorkflow: RelayWorkflow;
  /** Reads stored contents of a run for clients that have no access to the store. */
  readonly textsWorkflow: TextsWorkflow;
}

/**
 * Creates Baton's workflows with a project's own session slices. Call it once, at the top level of the workflow entry
 * whose path is the worker option `workflowsPath`. A worker without its own slices needs no entry: Baton's own is the
 * default.
 *
 * The entry runs in the workflow sandbox. Import only `baton-agents/workflows` and deterministic code there.
 *
 * @example
 * ```ts
 * // workflows.ts
 * import { createWorkflows, defineSlice, upsertBy } from 'baton-agents/workflows';
 * import { z } from 'zod';
 *
 * const risksSlice = defineSlice({
 *   name: 'risks',
 *   record: z.strictObject({ id: z.string(), text: z.string() }),
 *   conflict: 'lastWrite',
 *   on: { riskFound: upsertBy('id') },
 * });
 *
 * export const { runWorkflow, delegationWorkflow, sessionWorkflow, relayWorkflow, textsWorkflow } = createWorkflows({
 *   slices: [risksSlice],
 * });
 * ```
 */
export function createWorkflows({ slices = [] }: WorkflowOptions = {}): Workflows {
  const schema = createSessionSchema([...builtInSlices, ...slices], isSliceInUse);
  return {
    runWorkflow: checkedWorkflow(runWorkflowContract, (start) => runRootAgent(schema, start)),
    delegationWorkflow: checkedWorkflow(delegationWorkflowContract, (start) => runDelegation(schema, start)),
    sessionWorkflow: checkedWorkflow(sessionWorkflowContract, (start) => hostSession(schema, start)),
    relayWorkflow: checkedWorkflow(relayWorkflowContract, (start) => runRelay(schema, start)),
    textsWorkflow: checkedWorkflow(textsWorkflowContract, serveTexts),
  };
}
