// The public interface of this folder. All other exports are internal to it.
export { assembleParts, promptPartSchema, type PromptPart } from './document';
export { agentPrompt, builtinPrompts, subagentPrompt } from './definition/registry';
export { auditComposition, type StoredComposition } from './prompt-record';
export { estimateTokens } from '../kernel/text';
export { composePrompt, composePromptFromBytes } from './compose/compose';
export { composeDocumentSchema, type ComposeDocument, type CompositionInput } from './compose/compose-input';
export { type ToolingInput } from './compose/compose-input';
export { parseDefinition } from './definition/prompt-definition';
export { definePrompt, defineSection, type AuthoredPrompt, type SectionSpec } from './definition/define';
export { withSections } from './definition/define';
export { sectionHash, sectionOverrideSchema, type SectionOverride } from './definition/override';
export { type Bindings } from './definition/parameters';
export { createRegistry, type PromptRegistry } from './definition/registry';
export { renderPrompt, type RenderedPrompt, type RenderOptions } from './definition/render-prompt';
export { promptDefinitionSchema, type PromptDefinition, type SectionDefinition } from './definition/prompt-definition';
export { delegationId, type DelegationIdentity, type DelegationPosition } from '../kernel/ids';
export { type ParentPrompt } from './extract';
export { escapeReserved, unescapeReserved } from './checks/text-rules';
export { extractParent } from './extract';
export { type HashingOptions, type Sha256 } from './bytes';
export { type CompositionLog } from './result';
export { endMarker, containsMarker, startMarker } from './markers';
export { outputSchema, type OutputSchema } from './sections';
export { PromptError, type CompositionError, type PromptFailureType } from './prompt-error';
export { compositionRecordSchema, type CompositionRecord } from './composition-record';
export { type AppliedRedaction } from './redaction';
export { type ComposedPrompt, type CompositionResult, type FailedComposition } from './result';
export {
  sectionPathSchema,
  sectionRangeSchema,
  formatSectionPath,
  type SectionPath,
  type SectionRange,
} from './sections';
export { withTranscript, type PromptText } from './document';
export { wrapDocumentSchema, type WrapDocument, type WrappingInput } from './wrap/wrap-input';
export { wrapPrompt, wrapPromptFromBytes } from './wrap/wrap';
