// Models: messages, replies, known models, prices and usage.
export {
  type ContentBlock,
  isToolCall,
  type ProviderData,
  type ReplyBlock,
  replyBlockSchema,
  type StopReason,
  stopReasonSchema,
  type ToolCallBlock,
  type ToolResultBlock,
} from './blocks';
export { cacheReadShare, type CacheReadShares, cacheReadShares } from './cache-share';
export { missingCapabilities, type ModelCapabilities } from './capabilities';
export { judgeReply, type Judgement } from './judge-reply';
export { type Message, toMessages } from './model-messages';
export { defaultProvider, modelNameSchema, parseModelName } from './model-name';
export { withEstimatedUsage } from './estimate-usage';
export {
  completeModel,
  defaultMaxTokens,
  defaultModel,
  fallbackSchema,
  findFacts,
  findPrice,
  knownModels,
  type ModelPreferences,
  type ModelSettings,
  modelSettingsSchema,
  type PriceTable,
  resolveModel,
} from './models';
export {
  configuredPrice,
  joinCatalogs,
  maxTokensSchema,
  type ModelCatalog,
  modelCatalogSchema,
  windowSchema,
} from './model-catalog';
export {
  anotherModel,
  type FallbackRecord,
  fallbackRecordSchema,
  formatFallback,
  isOutage,
  nextModel,
} from './fallback';
export { hasWishes, type ModelWishes, modelWishesSchema, wishedModel } from './model-wishes';
export {
  addUsage,
  costOf,
  formatUsd,
  noUsage,
  type Price,
  priceSchema,
  totalTokens,
  type Usage,
  usageSchema,
} from './prices';
export { droppedByChange, droppedPartsSchema } from './provider-change';
export {
  answerText,
  type CallRefused,
  callRefusedSchema,
  isCallRefused,
  type ModelReply,
  stepAfterReply,
} from './reply';
export { inputProblem, isUnreadableInput, unreadablePart, whyNotRun } from './tool-input';
