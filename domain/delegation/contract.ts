import { z } from 'zod';
import { type AgentSettings, openedAgentSchema } from '../agent';
import { spendingSchema } from '../budget';
import { activityContract, DomainError, type FailureType, uncheckedObject, workflowContract } from '../kernel';
import { fallbackRecordSchema } from '../model';
import { existingChildSchema, fileRecordSchema } from '../session';
import { blobRefSchema, spilledTextSchema } from '../store';
import { startPayloadSchema } from './start';

/** An artifact that a delegation wrote. */
export const namedArtifactSchema = z.object({
  name: z.string(),
  ref: blobRefSchema,
  /** Set for a file that an agent changed in its own copy of the workspace. */
  kind: z.literal('file').exactOptional(),
});
export type NamedArtifact = Readonly<z.infer<typeof namedArtifactSchema>>;

/** Result of a delegation. Nothing else of it reaches the parent. Lists without content are omitted. */
export const delegationResultSchema = z.object({
  summary: spilledTextSchema,
  /** Canonical JSON of the parsed answer, if the answer had to have a structure. */
  value: spilledTextSchema.exactOptional(),
  /** Artifacts, and the files that the delegation changed in its own copy of the workspace. */
  artifacts: z.array(namedArtifactSchema).readonly().exactOptional(),
  /** Number of artifacts that were written but did not fit into the result. */
  moreArtifacts: z.int().positive().exactOptional(),
  /** All changed files with the hashes of their contents; only if `returnsFiles` was set. */
  files: z.array(fileRecordSchema).readonly().exactOptional(),
  toolsUsed: z.array(z.string()).readonly().exactOptional(),
  /** Expected names under which neither an artifact nor a file was written. */
  missingArtifacts: z.array(z.string()).readonly().exactOptional(),
  /** Spending of the delegation, including its own delegations. */
  spent: spendingSchema,
  /** Models of the agent that another one replaced; omitted when there are none. */
  fallbacks: z.array(fallbackRecordSchema).readonly().exactOptional(),
  /** Spending of the delegation itself; omitted when it had no delegations. */
  own: spendingSchema.exactOptional(),
  /** Id of the transcript. It covers every byte that the model received and returned. See `transcriptId`. */
  transcript: z.string().exactOptional(),
  /** Set when an operator skipped the delegation and supplied the summary. */
  skipped: z.literal(true).exactOptional(),
  /** Name of that operator; omitted when none was given. */
  skippedBy: z.string().exactOptional(),
});
export type DelegationResult = Readonly<z.infer<typeof delegationResultSchema>>;

const transcriptIdDigits = 32;

/** Returns the id of a transcript: 128 bits of the hash of its head, because the history of a parent has one per child. */
export function transcriptId({ hash }: { readonly hash: string }): string {
  return hash.slice(0, transcriptIdDigits);
}

export const delegationWorkflowContract = workflowContract('delegationWorkflow', {
  description: 'one delegation: an agent that works for another agent or for a relay',
  workflowId: '<id of the parent>/<delegation id>',
  input: startPayloadSchema,
  result: delegationResultSchema,
});

export const awaitDelegationActivity = activityContract('awaitDelegation', {
  description: 'Waits for the result of an existing child, and forwards a cancellation to it.',
  input: existingChildSchema,
  result: delegationResultSchema,
});

/** Settings in which a delegation differs from its parent. */
export type SettingsOverrides = Partial<
  Pick<AgentSettings, 'model' | 'limits' | 'handoff' | 'onFailure' | 'commands'>
> & {
  /** Maximum tokens that the delegation may reserve from the parent's budget. */
  readonly budgetTokens?: number;
  /** Time that the delegation may take, in seconds. */
  readonly deadlineSeconds?: number;
};

/** A delegation that is ready to start: its prompt is stored. */
export const readyDelegationSchema = z.object({
  ok: z.literal(true),
  delegationId: z.string(),
  opened: openedAgentSchema,
  promptNs: z.string(),
  promptKey: z.string(),
  planStepId: z.string().nullable(),
  expectedArtifacts: z.array(z.string()).readonly(),
  /** Outputs that the parent expects and described in words. They can't be checked. */
  describedOutputs: z.array(z.string()).readonly().exactOptional(),
  /** First line of the instructions, truncated. Shown in lists. */
  headline: z.string(),
  /** Not checked: they come from settings that were checked when the run started. */
  settings: uncheckedObject<SettingsOverrides>().exactOptional(),
});
export type ReadyDelegation = Readonly<z.infer<typeof readyDelegationSchema>>;

/** Why a delegation was refused. Nothing was started. */
export const refusalSchema = z.object({
  delegationId: z.string(),
  /** Failure type. */
  type: z.string(),
  /** The field, by the name that the caller of the tool knows, such as `delegations[2].reason`. */
  field: z.string(),
  reason: z.string(),
  remedy: z.string(),
});
export type Refusal = Readonly<z.infer<typeof refusalSchema>>;

/** Formats a refusal as one line for the model. */
export function formatRefusal({ field, reason, remedy, delegationId }: Refusal): string {
  return `${field}: ${reason}. ${remedy} Nothing was started. [delegation_id ${delegationId}]`;
}

/** A delegation that was refused. `message` is the tool result that the model sees. */
export const refusedDelegationSchema = refusalSchema.extend({ ok: z.literal(false), message: z.string() });
export type RefusedDelegation = Readonly<z.infer<typeof refusedDelegationSchema>>;

/** Result of preparing a delegation. */
export const preparedDelegationSchema = z.discriminatedUnion('ok', [readyDelegationSchema, refusedDelegationSchema]);
export type PreparedDelegation = ReadyDelegation | RefusedDelegation;

/** A dispatch call that can't be carried out. The model sees the field, the reason and the remedy. */
export class DispatchRefusedError extends DomainError {
  readonly type: FailureType;

  constructor(
    readonly field: string,
    readonly reason: string,
    readonly remedy: string,
    type: FailureType = 'Tool.ValidationError',
  ) {
    super(`${field}: ${reason}. ${remedy}`, { field, reason, remedy });
    this.type = type;
  }
}
