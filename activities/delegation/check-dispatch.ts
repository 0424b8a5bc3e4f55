import { log } from '@temporalio/activity';
import type { z } from 'zod';
import {
  type DelegationParameters,
  type DelegationRequestRecord,
  delegationRequestSchema,
  DispatchRefusedError,
  dispatchSkillSchema,
  type DispatchSubagentParameters,
  dispatchSubagentSchema,
  dispatchSubagentsSchema,
  type PreparedDelegation,
  type ReadyDelegation,
  readyDelegationSchema,
  type Refusal,
} from '../../domain/delegation';
import {
  parameterPath,
  type PrepareBatchInput,
  type PrepareDelegationInput,
  toRefusedDelegation,
} from '../../domain/delegation/prepare';
import { checkValue, canonicalJson, firstIssue, type JsonObject } from '../../domain/kernel';
import type { ComposedPrompt } from '../../domain/prompt';
import { planStep, type SessionSnapshot } from '../../domain/session';
import { type SkillDefinition, UnknownSkillError } from '../../domain/skill';
import type { RunStore } from '../../domain/store';
import { parseStored } from '../../store/blobs';

/** Parses and checks a call of `dispatch_subagent`. Throws a refusal that the model can act on. */
export function checkDispatch(payload: unknown, input: PrepareDelegationInput): DispatchSubagentParameters {
  const parameters = parsed(dispatchSubagentSchema, payload);
  requireRoom(input);
  requireSnapshot(input);
  const wanted = parameters.snapshot_version ?? undefined;
  if (wanted !== undefined && wanted !== input.snapshotVersion) {
    throw new DispatchRefusedError(
      'snapshot_version',
      `the current version is "${input.snapshotVersion}", not "${wanted}"`,
      'Omit it, or use the current one.',
    );
  }
  return parameters;
}

/** Parses and checks a call of `dispatch_skill`. The skill's input is checked later, against the skill's schema. */
export function checkSkillDispatch(
  payload: unknown,
  input: PrepareDelegationInput,
  skills: readonly SkillDefinition[],
): { readonly skill: SkillDefinition; readonly input: JsonObject } {
  const parameters = parsed(dispatchSkillSchema, payload);
  requireRoom(input);
  requireSnapshot(input);
  return { skill: findSkill(skills, parameters.skill), input: parameters.input };
}

/** Parses and checks a call of `dispatch_subagents`. Throws a refusal of the whole batch. */
export function checkBatchDispatch(payload: unknown, input: PrepareBatchInput): readonly DelegationParameters[] {
  const { delegations } = parsed(dispatchSubagentsSchema, payload);
  requireSnapshot(input);
  requireDepth(input);
  const left = Math.max(0, input.settings.limits.maxChildren - input.firstOrdinal);
  if (delegations.length <= left) return delegations;
  const reason = `${delegations.length} requested, but this agent may make only ${left} more`;
  throw new DispatchRefusedError('delegations', reason, 'Request fewer.');
}

/** Finds a skill by name, or throws with the names that exist. */
export function findSkill(skills: readonly SkillDefinition[], wanted: string): SkillDefinition {
  const skill = skills.find(({ name }) => name === wanted);
  if (skill !== undefined) return skill;
  throw new UnknownSkillError(
    wanted,
    skills.map(({ name }) => name),
  );
}

function parsed<Schema extends z.ZodType>(schema: Schema, payload: unknown): z.infer<Schema> {
  const result = checkValue(schema, payload);
  if (result.success) return result.data;
  const { path, reason } = firstIssue(result.error);
  throw new DispatchRefusedError(parameterPath(path), reason, 'Correct it and call the tool again.');
}

/** Refuses a delegation whose child could not load the session. */
export function requireSnapshot({ snapshotProblem }: Pick<PrepareDelegationInput, 'snapshotProblem'>): void {
  if (snapshotProblem === undefined) return;
  throw new DispatchRefusedError(
    'session snapshot',
    `no subagent can start from your session. ${snapshotProblem}`,
    'Do the work yourself.',
    'Session.SnapshotIncompatible',
  );
}

function requireRoom(input: PrepareDelegationInput): void {
  requireDepth(input);
  const { maxChildren } = input.settings.limits;
  if (input.ordinal >= maxChildren) {
    throw new DispatchRefusedError(
      'delegations',
      `this agent has used all of its ${maxChildren} delegations`,
      'Do the work yourself.',
    );
  }
}

function requireDepth({ parent, settings }: Pick<PrepareDelegationInput, 'parent' | 'settings'>): void {
  const { maxDepth } = settings.limits;
  if (parent.depth < maxDepth) return;
  throw new DispatchRefusedError(
    'depth',
    `this agent is at delegation depth ${parent.depth}, and the maximum is ${maxDepth}`,
    'Do the work yourself.',
  );
}

/** Finds the plan step that a delegation carries out; undefined for an ad-hoc delegation. */
export function findPlanStep(
  { plan_step_id: id, mode }: DispatchSubagentParameters,
  snapshot: SessionSnapshot,
): { id: string; title: string } | undefined {
  if (mode !== 'plan_step' || id === undefined || id === null) return undefined;
  const step = planStep(snapshot, id);
  if (step !== undefined) return step;
  throw new DispatchRefusedError(
    'plan_step_id',
    `there is no step "${id}" in the plan`,
    'Add it with add_plan_steps, or use mode ad_hoc.',
  );
}

/** The request of a delegation: what is journaled with its preparation, and what its refusals are logged with. */
interface RequestedDelegation {
  readonly id: string;
  /** The tool that was called. */
  readonly tool: string;
  /** `ns/key` of the parent's prompt; null without a parent agent. */
  readonly parentPromptKey: string | null;
  readonly record: DelegationRequestRecord;
}

/** Returns the record of a request for a delegation. `payload` is what its id was computed from. */
export function requestRecord(
  request: Omit<DelegationRequestRecord, 'v' | 'at' | 'payload'> & { readonly payload: unknown },
): DelegationRequestRecord {
  return delegationRequestSchema.parse({ v: 1, at: new Date().toISOString(), ...request });
}

/**
 * Prepares a delegation, or returns the preparation journaled under its id: after a reset of the parent, the same
 * delegation must be the same child, byte for byte. The request is journaled with it, for audits. A refusal is returned,
 * not thrown, and not journaled.
 */
export async function prepareOnce(
  store: RunStore,
  { id, tool, parentPromptKey, record: request }: RequestedDelegation,
  prepare: () => Promise<ReadyDelegation>,
): Promise<PreparedDelegation> {
  const key = `delegation/${id}`;
  const earlier = await store.find(key);
  const parse = (bytes: Uint8Array): ReadyDelegation =>
    parseStored(store, key, bytes, readyDelegationSchema, `delegation ${id}`);
  if (earlier !== undefined) return parse(earlier);
  try {
    const prepared = await prepare();
    // A later attempt finds the record and relies on what it refers to.
    await store.flush();
    return parse(await store.putIfAbsent(key, Buffer.from(canonicalJson({ ...prepared, request }))));
  } catch (error) {
    const refused = toRefusedDelegation(error, id, { tool });
    if (refused === undefined) throw error;
    logRefusal(refused, parentPromptKey);
    return refused;
  }
}

/** Logs a refusal in one line. */
export function logRefusal(
  { delegationId, type, field, reason, remedy }: Refusal,
  parentPromptKey: string | null,
): void {
  log.warn('Delegation refused', { delegationId, parentPromptKey, type, field, reason, remedy });
}

/** Logs which parts of the parent's prompt a composed prompt has, and the sizes of both. */
export function logComposed({ error: _none, ...facts }: ComposedPrompt['log'], parentPromptKey: string | null): void {
  log.info('Composed a prompt', { ...facts, parentPromptKey });
}
