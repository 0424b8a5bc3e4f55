// The public interface of this folder.
export { assembleContext, type AssembledContext, type InjectedPart } from './assemble-context';
export { catalogueOf, type SkillCatalogue } from './catalogue';
export { overlaid, sourceOf, type ContextSource } from './context-source';
export {
  parseSkill,
  skillDefinitionSchema,
  skillHash,
  type FieldProblem,
  type ParsedSkill,
  type SkillDefinition,
  type SkillFile,
} from './definition';
export { ContextTooLargeError, InvalidSkillInputError, MissingSourceError, UnknownSkillError } from './errors';
export { escapeTags, unescapeTags } from './escape';
export { type AbsentSource } from './gather';
export { importMarkdown, type Frontmatter, type ImportedSkill } from './imported';
export { renderInput, requireSkillInput } from './input';
export { type JsonSchema } from './json-schema';
export {
  fieldOf,
  showFinding,
  type LoadedSkill,
  type SkillFinding,
  type SkillFolder,
  type SkillFormat,
  type SkillLoader,
} from './loaded';
export { describeOutput, outputFormatSchema, type OutputFormat, type XmlField } from './output-format';
export { composeSkillPrompt, literalTemplate, skillBindings, skillPrompt, skillsNs, type SkillCall } from './prompt';
export { type Slice, type SliceEntry } from './slice';
export { ownToolNames } from './tool-names';
