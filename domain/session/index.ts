// The state that agents share: slices, events, snapshots, deltas, and the host of a shared session.
export { applyEvents } from './apply-events';
export {
  type ApplyReply,
  type ApplyRequest,
  applySessionActivity,
  type ApplySessionInput,
  type ApplySessionResult,
  awaitSessionActivity,
  type ChildMemo,
  childMemoSchema,
  type ExistingChild,
  existingChildSchema,
  findSessionActivity,
  findWritersActivity,
  type FoundSession,
  inlineSnapshotBytes,
  isWorkflowOpenActivity,
  loadSessionUpdateActivity,
  loadSnapshotActivity,
  saveSnapshotActivity,
  storeWritersActivity,
  type SessionUpdate,
  sessionUpdateSchema,
  type SlicesPayload,
  slicesPayloadSchema,
  type SnapshotPayload,
  snapshotPayloadSchema,
} from './contract';
export { applyDelta } from './delta';
export { maxSessionBytes } from './plain-json';
export { RefusedEventError, UnknownSliceError } from './session-errors';
export { createSessionSchema, type SessionSchema } from './session-schema';
export { emptySession, measureSession, recordsOf, type Session, slicesWithRecords, summarizeSnapshot } from './session';
export {
  applyTurnsContract,
  closeSessionContract,
  isClosedContract,
  type SessionHostStart,
  sessionWorkflowContract,
} from './shared/contract';
export { applyRequests, type HostState, type PackedReplies, type RecentVersions, unpackReplies } from './shared/host';
export {
  afterFinding,
  afterStoring,
  type Writers,
  type WritersPage,
  writersPageSchema,
  writersToFind,
  writersToStore,
} from './shared/writers';
export { splitIntoRequests, VerdictCollector } from './shared/request-chunks';
export {
  append,
  type ConflictPolicy,
  defineSlice,
  eventHandler,
  type Reducer,
  replaceLatest,
  type Slice,
  upsertBy,
} from './slice';
export { artifactsSlice, type FileRecord, fileRecordSchema, filesSlice } from './slices/files-slice';
export { builtInSlices } from './slices/built-in-slices';
export { originalSlices } from './slices/original-slices';
export { notesSlice, planStep, recordedDecisions } from './slices/plan-slice';
export { toolsUsed } from './slices/tool-calls-slice';
export { emptySnapshot, hydrate, type SessionSnapshot, snapshot, snapshotFormat, snapshotOfSlices } from './snapshot';
export {
  applyTurn,
  changedByOthers,
  type ChangeVerdict,
  changeVerdictSchema,
  fileEvent,
  type RequestedChange,
} from './turn';
export { isLoopEvent } from './validate-event';
