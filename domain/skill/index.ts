// The public interface of this folder.
export { assembleContext, type AssembledContext, type InjectedPart } from './assemble-context';
export { buildSkillCatalog, type SkillCatalog } from './catalog';
export { overlaySource, sourceFromFiles, type ContextSource } from './gather-sources';
export {
  parseSkill,
  skillDefinitionSchema,
  skillHash,
  type ParsedSkill,
  type SkillDefinition,
  type SkillFile,
} from './skill-definition';
export { type FieldProblem } from '../kernel/schema-issues';
export { ContextTooLargeError, InvalidSkillInputError, MissingSourceError, UnknownSkillError } from './loaded-skill';
export { escapeTags, unescapeTags } from '../kernel/text';
export { type AbsentSource } from './gather-sources';
export { importMarkdown, type Frontmatter, type ImportedSkill } from './imported';
export { renderInput, validateSkillInput } from './skill-prompt';
export { type JsonSchema } from './output/json-output';
export { formatFieldPath } from '../kernel/schema-issues';
export {
  formatDiagnostic,
  type LoadedSkill,
  type Diagnostic,
  type SkillFolder,
  type SkillFormat,
  type SkillLoader,
} from './loaded-skill';
export { outputInstructions, outputFormatSchema, type OutputFormat, type XmlField } from './output/output-format';
export {
  composeSkillPrompt,
  escapeTemplate,
  skillBindings,
  skillPrompt,
  skillNamespace,
  type SkillCall,
} from './skill-prompt';
export { type ContextSlice, type ContextSliceEntry } from './skill-definition';
export { builtInToolNames } from '../tool/tool-names';
