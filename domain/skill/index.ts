// Skills: definitions, prompts and context. Never loaded in the workflow sandbox.
export { assembleContext, type AssembledContext } from './assemble-context';
export { buildSkillCatalog, mergeByName, type SkillCatalog } from './catalog';
export {
  argumentPlaceholder,
  type ListedPrompt,
  listedPromptSchema,
  type SkillFromServer,
  skillFromPrompt,
  skillFromServed,
} from './from-server';
export { type ContextSource, overlaySource, sourceFromFiles } from './gather-sources';
export { type Frontmatter, importMarkdown } from './imported';
export {
  ContextTooLargeError,
  type Diagnostic,
  formatDiagnostic,
  InvalidSkillInputError,
  type LoadedSkill,
  MissingSourceError,
  type SkillFolder,
  type SkillFormat,
  type SkillLoader,
  UnknownSkillError,
} from './loaded-skill';
export {
  type ImportReport,
  importReportSchema,
  type ImportRequest,
  importRequestSchema,
  type ServedDefinition,
} from './served-report';
export { parseSkill, type SkillDefinition, skillDefinitionSchema, skillHash } from './skill-definition';
export { composeSkillPrompt, skillNamespace, skillPrompt, validateSkillInput } from './skill-prompt';
