// Models: messages, replies, known models, prices and usage.
export { judgeReply, type Judgement } from './judge-reply';
export { type Message, toMessages } from './model-messages';
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
export { modelNameSchema } from './model-name';
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
export {
  answerText,
  type CallRefused,
  callRefusedSchema,
  isCallRefused,
  type ModelReply,
  modelReplySchema,
  stepAfterReply,
} from './reply';
export { inputProblem, isUnreadableInput, unreadablePart, whyNotRun } from './tool-input';
