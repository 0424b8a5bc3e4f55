export { say, useTool, useTools, refuse } from './reply/reply';
export {
  dropConnection,
  endEarly,
  fail,
  failMidStream,
  hang,
  overloaded,
  rateLimited,
  serverError,
} from './reply/failures';
export { failFirstAttempts, scriptByTurn } from './script';
export { startScriptedModel } from './server';
export { createGate } from './state';
export { defaultModels, modelSpec } from './models';
export { scenarios, findScenario } from './scenarios';
export { delegator } from './scenarios/delegator';
export { reviewers } from './scenarios/reviewers';
export { explorer } from './scenarios/explorer';
export { feature } from './scenarios/feature';
export { decision as longWorkDecision, handoffCue, longWork, musing as longWorkMusing } from './scenarios/long-work';
export { asides as researchAsides, repairCue, skilled, skillOf, skillOpenings } from './scenarios/skills';
export { turns } from './scenarios/turns';

export type { CallOutcome, CallRecord, RejectedRequest } from './call-log';
export type { ConversationView, ToolExchange, ToolResult } from './conversation';
export type { Gate } from './state';
export type { CallReport } from './handlers/route';
export type { ModelSpec } from './models';
export type { Answer, AnswerOptions, CallUsage, Failure, Interrupted, Pace, ScriptedReply } from './reply/reply';
export type { Script, ScriptedCall } from './script';
export type { ScriptedModel } from './server';
export type { ScriptedModelOptions } from './state';
