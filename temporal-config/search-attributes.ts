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
