export { FairQueue } from './fair-queue';
export { Gate, type ProviderReport } from './gate';
export { describeLimit, limitOf, type ModelLimit, type ModelLimits, parseModelLimits } from './model-limits';
