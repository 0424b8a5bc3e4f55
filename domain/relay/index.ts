// The public interface of this folder.
export { afterItems } from './after-items';
export { checkSkills, type FindSkill } from './prepare/check-skills';
export { relayHash, relaySchema, type RelayDefinition, type RelayStep } from './relay-definition';
export { deliver, type Delivered, type Delivery } from './merge-output';
export { parseRelayInput, relayInputSchema, type RelayInput } from './contract';
export { UnknownRelayError, type LoadedRelay, type RelayCatalogue, type RelayFolder } from './loaded';
export { nextStep, type ItemToRun, type RelayMove } from './next-step';
export { parseRelay, type ParsedRelay } from './parse';
export { pick, wantedPaths } from './select-output';
export { relayPrompt, relaysNs, stepInWords } from './prepare/relay-prompt';
export { type RelayResult } from './result';
export { firstState, type PickedValues, type RelayState } from './state';
