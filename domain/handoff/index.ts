// Handoffs: when an agent must hand off, what it writes, and how the next conversation begins.
export { type HandoffCheck, takeHandoffActivity, type TakeHandoffInput } from './contract';
export { requireFallback } from './check-fallback';
export { checkHandoff } from './handoff-schema';
export {
  afterHandoff,
  dropOversizedOutcomes,
  handoffSettings,
  handoffThreshold,
  maxOpeningTokens,
  maxResultBytesFor,
  maxToolResultBytes,
  minToolResultBytes,
} from './handoff';
export { lowResources, undisturbedRoom, withTold } from './notices';
export { freeHandoffName, handoffFirstMessage, renderHandoff } from './render-handoff';
export { handoffRepairRequest, handoffRequest } from './request';
