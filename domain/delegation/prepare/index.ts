// Preparing delegations: prompts, tools and refusals. Never loaded in the workflow sandbox.
export { buildSkillComposition } from './compose-skill';
export { buildSubagentComposition, isDispatchable, renderDispatchedPrompt } from './compose-subagent';
export {
  finishResultsActivity,
  type FinishResultsInput,
  prepareBatchActivity,
  type PrepareBatchInput,
  prepareDelegationActivity,
  type PrepareDelegationInput,
  prepareSkillActivity,
  type PrepareSkillInput,
  type RenderedResults,
  renderResultsActivity,
  type RenderResultsInput,
} from './contract';
export { promptSubagentToolsSection, skillsSection, subagentsSection } from './prompt-sections';
export { toRefusedDelegation } from './refusal';
export { skillSettings, skillTools } from './skill-agent';
