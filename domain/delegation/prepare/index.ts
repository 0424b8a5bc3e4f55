// Preparing delegations: prompts, tools and refusals. Never loaded in the workflow sandbox.
export { applyControls, controlsInForce, type ControlsInForce } from './apply-controls';
export { buildSkillComposition } from './compose-skill';
export { buildSubagentComposition, isDispatchable, renderDispatchedPrompt } from './compose-subagent';
export type { AgentEnvironment } from './environment';
export {
  type DispatchCall,
  finishResultsActivity,
  type FinishResultsInput,
  prepareBatchActivity,
  type PrepareBatchInput,
  type PrepareDelegationInput,
  prepareDelegationsActivity,
  type PrepareDelegationsInput,
  prepareSkillActivity,
  type PrepareSkillInput,
  type RenderedResults,
  renderResultsActivity,
  type RenderResultsInput,
} from './contract';
export { deferredToolsSection, promptSubagentToolsSection, skillsSection, subagentsSection } from './prompt-sections';
export { parameterPath, refusalMessage, toRefusal, toRefusedDelegation } from './refusal';
export { promptSettings, skillSettings, skillTools } from './skill-agent';
