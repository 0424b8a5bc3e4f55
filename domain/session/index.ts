export { applyEvents, type AppliedEvents } from './apply-events';
export { applyDelta, changesSince, deltaBetween, type ListEdit, type SessionDelta } from './delta';
export {
  DeltaMismatchError,
  RefusedEventError,
  SliceDefinitionError,
  SnapshotIncompatibleError,
  type EventFailure,
  type EventFailureType,
} from './session-errors';
export { hydrate } from './snapshot';
export { maxEventBytes, maxSessionBytes, maxSummaryLength } from './plain-json';
export { isLoopEvent, loopEvents, type LoopEvent } from './validate-event';
export { append, replaceLatest, upsertBy } from './slice';
export { createSessionSchema, type SessionSchema } from './session-schema';
export { emptySession, measureSession, recordsOf, type EventResult, type Session, type SessionEvent } from './session';
export { defineSlice, eventHandler, type ConflictPolicy, type Expectation, type Reducer, type Slice } from './slice';
export * from './slices';
export { snapshot, snapshotVersionOf, type SessionSnapshot } from './snapshot';
export { summarizeSnapshot } from './session';
