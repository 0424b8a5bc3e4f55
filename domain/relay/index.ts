// The public interface of this folder.
export { afterItems } from './after-items';
export { checkSkills, type FindSkill } from './check-skills';
export { relayHash, relaySchema, type RelayDefinition, type RelayStep } from './definition';
export { deliver, type Delivered, type Delivery } from './deliver';
export { parseRelayInput, relayInputSchema, type RelayInput } from './input';
export { UnknownRelayError, type LoadedRelay, type RelayCatalogue, type RelayFolder } from './loaded';
export { nextStep, type ItemToRun, type RelayMove } from './next-step';
export { parseRelay, type ParsedRelay } from './parse';
export { pick, wantedPaths } from './picks';
export { relayPrompt, relaysNs, stepInWords } from './prompt';
export { type RelayResult } from './result';
export { firstState, type PickedValues, type RelayState } from './state';
