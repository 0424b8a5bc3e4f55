import { dispatchSubagentSchema, type DispatchSubagentParameters } from '../domain/dispatch/dispatch-subagent';
import { DispatchRefusedError } from '../domain/dispatch/refusal';
import { planStep, type SessionSnapshot } from '../domain/session';
import type { PrepareDelegationInput } from './interface';

/** The parameters of a call of `dispatch_subagent`, or a refusal that the model can act on. */
export function checkDispatch(
  payload: unknown,
  { parent, settings, ordinal, snapshotVersion }: PrepareDelegationInput,
): DispatchSubagentParameters {
  const parsed = dispatchSubagentSchema.safeParse(payload);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new DispatchRefusedError(
      issue?.path.join('.') || 'input',
      issue?.message ?? 'is invalid',
      'Correct it and call the tool again.',
    );
  }
  const { maxDepth, maxChildren } = settings.limits;
  if (parent.depth >= maxDepth) {
    throw new DispatchRefusedError(
      'depth',
      `this agent stands at level ${parent.depth} of ${maxDepth}`,
      'Do the work yourself.',
    );
  }
  if (ordinal >= maxChildren) {
    throw new DispatchRefusedError(
      'delegations',
      `this agent has made all of its ${maxChildren} delegations`,
      'Do the work yourself.',
    );
  }
  const wanted = parsed.data.snapshot_version;
  if (wanted !== undefined && wanted !== snapshotVersion) {
    throw new DispatchRefusedError(
      'snapshot_version',
      `the session's is "${snapshotVersion}", not "${wanted}"`,
      'Leave it out, or give that one.',
    );
  }
  return parsed.data;
}

/** The plan step that a delegation is to carry out. */
export function stepOf(
  { plan_step_id: id, mode }: DispatchSubagentParameters,
  snapshot: SessionSnapshot,
): { id: string; title: string } | undefined {
  if (mode !== 'plan_step' || id === undefined) return undefined;
  const step = planStep(snapshot, id);
  if (step !== undefined) return step;
  throw new DispatchRefusedError(
    'plan_step_id',
    `there is no step "${id}" in the plan`,
    'Add it with add_plan_steps, or use mode ad_hoc.',
  );
}
