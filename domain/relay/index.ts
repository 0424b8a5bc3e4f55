// Relays: definitions, references between steps, and which step comes next.
export { advanceAfterItems } from './after-items';
export { parseRelay, referencesOf } from './check-relay';
export {
  loadOutputActivity,
  openRelayActivity,
  type OpenRelayInput,
  parseOpenRelay,
  parseRelayInput,
  pickOutputActivity,
  type PickOutputInput,
  type RelayInput,
  type RelayProgress,
  relayRequestSchema,
  type RelayResult,
  type RelayStart,
  relayWorkflowContract,
  storeOutputActivity,
} from './contract';
export { describeRelay, type ItemsAtWork } from './describe-state';
export { mergeItemOutput } from './merge-output';
export { type ItemToRun, nextMove, type RelayMove } from './next-step';
export { formatSegments, type InputMapping, type Segment } from './references';
export {
  type LoadedRelay,
  type RelayCatalog,
  type RelayDefinition,
  type RelayFolder,
  relayHash,
  type RelayLoader,
  relaySchema,
  type RelayStep,
  UnknownRelayError,
} from './relay-definition';
export { selectedPaths, selectOutput } from './select-output';
export { initialRelayState, type RelayState, type SelectedValues } from './state';
export { countItems, LoadedOutputs, OutputNotLoadedError, outputsToStore } from './stored-output';
