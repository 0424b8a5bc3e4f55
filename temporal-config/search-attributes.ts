import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/**
 * Search attributes by which operators can filter executions. Their names are public API. Values are stored
 * unencrypted, so they must not contain user text. SQL visibility stores allow ten keyword and three int attributes per
 * namespace; Baton leaves room for the user's own.
 */
export const searchAttributes = {
  run: defineSearchAttributeKey('BatonRun', SearchAttributeType.KEYWORD),
  delegation: defineSearchAttributeKey('BatonDelegation', SearchAttributeType.KEYWORD),
  skill: defineSearchAttributeKey('BatonSkill', SearchAttributeType.KEYWORD),
  status: defineSearchAttributeKey('BatonStatus', SearchAttributeType.KEYWORD),
  prompt: defineSearchAttributeKey('BatonPrompt', SearchAttributeType.KEYWORD),
  depth: defineSearchAttributeKey('BatonDepth', SearchAttributeType.INT),
} as const;

/** Meaning of each search attribute, for the reference. */
export const searchAttributeMeanings: Readonly<Record<keyof typeof searchAttributes, string>> = {
  run: 'id of the run',
  delegation: 'id of the delegation; not on the root agent',
  skill: 'name of the skill',
  status: 'set while the agent waits for a person: `paused` or `needs_operator`; otherwise see `ExecutionStatus`',
  prompt: "hash of the root agent's prompt; the hash of a delegation's prompt is in its details",
  depth: 'level of delegation; 0 for the root agent',
};
