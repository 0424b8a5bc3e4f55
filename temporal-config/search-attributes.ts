import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/**
 * What operators can filter executions by. Names are public API and are stored unencrypted, so no user text in here.
 * SQL visibility stores allow ten keyword and three int attributes in a namespace; Baton leaves room for the user's own.
 */
export const searchAttributes = {
  run: defineSearchAttributeKey('BatonRun', SearchAttributeType.KEYWORD),
  delegation: defineSearchAttributeKey('BatonDelegation', SearchAttributeType.KEYWORD),
  skill: defineSearchAttributeKey('BatonSkill', SearchAttributeType.KEYWORD),
  status: defineSearchAttributeKey('BatonStatus', SearchAttributeType.KEYWORD),
  prompt: defineSearchAttributeKey('BatonPrompt', SearchAttributeType.KEYWORD),
  depth: defineSearchAttributeKey('BatonDepth', SearchAttributeType.INT),
} as const;
