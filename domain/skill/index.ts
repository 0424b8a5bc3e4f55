// The public interface of this folder.
export { assembleContext, type AssembledContext, type InjectedPart } from './assemble-context';
export { catalogueOf, type SkillCatalogue } from './catalog';
export { overlaid, sourceOf, type ContextSource } from './context-source';
export {
  parseSkill,
  skillDefinitionSchema,
  skillHash,
  type FieldProblem,
  type ParsedSkill,
  type SkillDefinition,
  type SkillFile,
} from './skill-definition';
export { ContextTooLargeError, InvalidSkillInputError, MissingSourceError, UnknownSkillError } from './errors';
export { escapeTags, unescapeTags } from '../kernel/escape';
export { type AbsentSource } from './gather-sources';
export { importMarkdown, type Frontmatter, type ImportedSkill } from './imported';
export { renderInput, requireSkillInput } from './input';
export { type JsonSchema } from './output/json-output';
export {
  fieldOf,
  showFinding,
  type LoadedSkill,
  type SkillFinding,
  type SkillFolder,
  type SkillFormat,
  type SkillLoader,
} from './loaded-skill';
export { describeOutput, outputFormatSchema, type OutputFormat, type XmlField } from './output/output-format';
export { composeSkillPrompt, literalTemplate, skillBindings, skillPrompt, skillsNs, type SkillCall } from './skill-prompt';
export { type Slice, type SliceEntry } from './slice';
export { ownToolNames } from '../tool/tool-names';
