export { FairQueue } from './fair-queue';
export { Gate, type ProviderReport } from './gate';
export { describeLimit, limitMark, limitOf, type ModelLimit, type ModelLimits, parseModelLimits } from './model-limits';
