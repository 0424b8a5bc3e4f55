import { z } from 'zod';
import { recordVersion } from '../agent';
import { type DelegationIdentity, uncheckedJson } from '../kernel';
import { blobRefSchema } from '../store';
import type { ToolDescription } from '../tool';
import { readyDelegationSchema } from './contract';

/** What a delegation's id is computed from, and where it was requested. Recorded when it is prepared. */
const requestFields = {
  v: recordVersion,
  /** Workflow id of the parent. */
  parent: z.string(),
  /** Hash of the parent's prompt; null when the id does not depend on it, as for a step of a relay. */
  parentPrompt: z.string().nullable(),
  /** Tool list that counts as the delegation's tooling. */
  tools: blobRefSchema,
  at: z.string(),
};

/** The request for one delegation. */
export const delegationRequestSchema = z.object({
  ...requestFields,
  /** Position among the delegations of its parent. */
  ordinal: z.int().nonnegative(),
  /** The payload, as the id was computed from it. */
  payload: uncheckedJson,
  /** What lists show before the headline, such as the step of a relay; omitted when there is nothing to add. */
  place: z.string().exactOptional(),
});
export type DelegationRequestRecord = Readonly<z.infer<typeof delegationRequestSchema>>;

/** A prepared delegation in the journal. The request is missing in what earlier versions wrote. */
export const delegationRecordSchema = readyDelegationSchema.extend({
  request: delegationRequestSchema.exactOptional(),
});

/** Delegations of a batch that were prepared together. They differ only in these items. */
export const batchRecordSchema = z.object({
  ...requestFields,
  /** Tool list of the delegations that may not delegate further. */
  lastLevelTools: blobRefSchema,
  items: z.array(
    z.object({
      delegationId: z.string(),
      ordinal: z.int().nonnegative(),
      payload: uncheckedJson,
      prompt: blobRefSchema,
      opening: blobRefSchema,
      mayDelegate: z.boolean(),
      headline: z.string(),
    }),
  ),
});
export type BatchRecord = Readonly<z.infer<typeof batchRecordSchema>>;

/** The facts that the id of a delegation depends on. */
export interface DelegationFacts {
  readonly parentPrompt: string | null;
  readonly payload: unknown;
  readonly tools: readonly Pick<ToolDescription, 'name' | 'id'>[];
  readonly parentDelegationId: string | null;
  readonly runId: string;
  readonly ordinal: number;
}

/** Returns what `delegationId` is computed from, so that preparing a delegation and auditing it can't differ. */
export function delegationIdentity(facts: DelegationFacts): DelegationIdentity {
  const { parentPrompt, payload, tools, parentDelegationId, runId, ordinal } = facts;
  return {
    parentPrompt,
    payload,
    tooling: tools.map(({ name, id }) => ({ name, id })),
    position: { parentDelegationId, runId, ordinal },
  };
}
