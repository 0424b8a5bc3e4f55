// Prompts: definitions, composition, wrapping, records and audits. Never loaded in the workflow sandbox.
export { indexOfBytes, type Sha256 } from './bytes';
export { controlsProblems, requireSoundControls } from './checks/controls';
export { firstSentence } from './checks/sentences';
export { largestPart } from './checks/size';
export { escapeReserved } from './checks/text-rules';
export type { CompositionInput } from './compose/compose-input';
export { composePrompt, composePromptFromBytes } from './compose/compose';
export { toolLines } from './compose/tooling';
export { type PromptDefaults, unboundParameters, withPromptDefaults } from './definition/defaults';
export {
  type AuthoredPrompt,
  definePrompt,
  type SectionSpec,
  withResponseFormat,
  withSections,
} from './definition/define';
export { type Bindings, escapeTemplate } from './definition/parameters';
export { parseDefinition, type PromptDefinition, promptDefinitionSchema } from './definition/prompt-definition';
export { agentPrompt, builtinPrompts, createRegistry, type PromptRegistry } from './definition/registry';
export { type RenderedPrompt, renderPrompt } from './definition/render-prompt';
export { assembleParts, type PromptPart, promptPartSchema, withTranscript } from './document';
export { extractParent } from './extract';
export { code, fenced } from './markdown';
export { startMarker } from './markers';
export { PromptError } from './prompt-error';
export { auditComposition, type PromptRecord, promptRecordSchema } from './prompt-record';
export type { ComposedPrompt, CompositionResult } from './result';
export { formatSectionPath, type SectionPath, type SectionRange } from './sections';
export { wrapPrompt, wrapPromptFromBytes } from './wrap/wrap';
