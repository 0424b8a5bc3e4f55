export { buildSkillComposition } from './compose-skill';
export { buildSubagentComposition, renderDispatchedPrompt } from './compose-subagent';
export { promptSubagentToolsSection, skillsSection, subagentsSection } from './prompt-sections';
export { toRefusedDelegation } from './refusal';
export { skillSettings, skillTools } from './skill-agent';
