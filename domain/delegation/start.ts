import { z } from 'zod';
import {
  agentSettingsSchema,
  type OpenedAgent,
  passAgent,
  passedAgentSchema,
  passedLimitsSchema,
  passLimits,
  receiveAgent,
  receiveLimits,
  resumedAgentSchema,
} from '../agent';
import { operatorStateSchema } from '../operator';
import { emptySnapshot, type SnapshotPayload, snapshotPayloadSchema } from '../session';
import { type WorkspaceState, workspaceStateSchema } from '../workspace';

/** What a delegation starts with, apart from what its payload words differently. */
const startFields = z.object({
  ...agentSettingsSchema.shape,
  delegationId: z.string(),
  /** Number of levels below the root agent. The root agent's delegations have 1. */
  depth: z.int().positive(),
  /** Set when other agents may have written to the shared session since `snapshot` was taken. */
  late: z.literal(true).exactOptional(),
  promptNs: z.string(),
  promptKey: z.string(),
  /** Set when the parent was paused when it started this delegation. */
  paused: z.literal(true).exactOptional(),
  /** Operators' decisions about further calls that the parent had when it started this delegation. */
  standing: operatorStateSchema.shape.standing,
  /** Whether the result includes the changed files, because the parent merges them. */
  returnsFiles: z.boolean().exactOptional(),
  resume: resumedAgentSchema.exactOptional(),
});

/** What a delegation starts with, and the state of its previous execution. */
export type DelegationStart = Readonly<z.infer<typeof startFields>> & {
  readonly opened: OpenedAgent;
  readonly snapshot: SnapshotPayload;
  readonly workspace: WorkspaceState | null;
  /** Workflow id of the host of a shared session; null when the session is isolated. */
  readonly sharedSession: string | null;
  /** Names of artifacts, or paths of files, that the parent expects. */
  readonly expectedArtifacts: readonly string[];
};

/** Input of a `delegationWorkflow`. It is recorded in two histories, so fields without content are omitted. */
export const startPayloadSchema = startFields.extend({
  limits: passedLimitsSchema,
  opened: passedAgentSchema,
  /** Omitted for the prompt of a batch's delegation, `batchPrompt`. */
  promptNs: startFields.shape.promptNs.exactOptional(),
  promptKey: startFields.shape.promptKey.exactOptional(),
  /** Omitted if nothing has been recorded in the session. */
  snapshot: snapshotPayloadSchema.exactOptional(),
  workspace: workspaceStateSchema.exactOptional(),
  sharedSession: z.string().exactOptional(),
  expectedArtifacts: z.array(z.string()).readonly().exactOptional(),
});
export type StartPayload = Readonly<z.infer<typeof startPayloadSchema>>;

/** Name of the prompt that wraps the parent's for a delegation of a batch. */
export const batchPrompt = { promptNs: 'baton', promptKey: 'wrapper' } as const;

/** Writes what a delegation starts with as its input. */
export function startPayload(start: DelegationStart): StartPayload {
  const { opened, limits, promptNs, promptKey, snapshot, workspace, sharedSession, expectedArtifacts, ...fields } =
    start;
  const isBatch = promptNs === batchPrompt.promptNs && promptKey === batchPrompt.promptKey;
  return {
    ...fields,
    limits: passLimits(limits),
    ...(isBatch ? {} : { promptNs, promptKey }),
    opened: passAgent(opened),
    ...(isEmpty(snapshot) ? {} : { snapshot }),
    ...(workspace === null ? {} : { workspace }),
    ...(sharedSession === null ? {} : { sharedSession }),
    ...(expectedArtifacts.length === 0 ? {} : { expectedArtifacts }),
  };
}

/** Reads the input of a delegation. */
export function readStart(payload: StartPayload): DelegationStart {
  const { snapshot = { inline: emptySnapshot }, workspace = null, sharedSession = null } = payload;
  const { expectedArtifacts = [] } = payload;
  return {
    ...batchPrompt,
    ...payload,
    limits: receiveLimits(payload.limits),
    opened: receiveAgent(payload.opened),
    snapshot,
    workspace,
    sharedSession,
    expectedArtifacts,
  };
}

function isEmpty(snapshot: SnapshotPayload): boolean {
  return 'inline' in snapshot && JSON.stringify(snapshot.inline) === JSON.stringify(emptySnapshot);
}
