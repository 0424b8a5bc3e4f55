// The public interface of this folder.
export { advanceAfterItems } from './after-items';
export { checkRelaySkills, type FindSkill } from './prepare/check-skills';
export { relayHash, relaySchema, type RelayDefinition, type RelayStep } from './relay-definition';
export { mergeItemOutput, type MergedItem, type ItemOutput } from './merge-output';
export { parseRelayInput, relayInputSchema, type RelayInput } from './contract';
export { UnknownRelayError, type LoadedRelay, type RelayCatalog, type RelayFolder } from './relay-definition';
export { nextMove, type ItemToRun, type RelayMove } from './next-step';
export { parseRelay, type ParsedRelay } from './check-relay';
export { selectOutput, selectedPaths } from './select-output';
export { relayPrompt, relayNamespace, describeStep } from './prepare/relay-prompt';
export { type RelayResult } from './contract';
export { initialRelayState, type SelectedValues, type RelayState } from './state';
