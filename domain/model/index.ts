// Models: messages, replies, known models, prices and usage.
export { parseModelName } from './model-name';
export { judgeReply, type Judgement } from './judge-reply';
export { type Message, toMessages } from './model-messages';
export { withEstimatedUsage } from './estimate-usage';
export {
  completeModel,
  defaultMaxTokens,
  defaultModel,
  findPrice,
  knownModels,
  type ModelPreferences,
  type ModelSettings,
  modelSettingsSchema,
  type PriceTable,
  resolveModel,
} from './models';
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
