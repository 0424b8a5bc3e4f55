export {
  dropConnection,
  endEarly,
  fail,
  failMidStream,
  garbleStream,
  hang,
  overloaded,
  rateLimited,
  refuse,
  say,
  serverError,
  useTool,
  useTools,
} from './reply';
export {
  createGate,
  delegationDepth,
  failFirstAttempts,
  scriptByDepth,
  scriptByTurn,
  viewConversation,
} from './script';
export { limitRate, type RateLimit } from './rate-limit';
export { startScriptedModel } from './server';
export { defaultModels, modelSpec } from './models';
export { describeScenarios, findScenario, scenarios } from './scenarios';
export { delegator, reviewers } from './scenarios/delegation';
export { explorer } from './scenarios/explorer';
export { turns } from './scenarios/turns';
export { decision as longWorkDecision, handoffCue, longWork, musing as longWorkMusing } from './scenarios/long-work';
export {
  asides as researchAsides,
  feature,
  repairCue,
  skilled,
  skillOf,
  skillOpenings,
  testCommand,
} from './scenarios/skills';

export type { CallOutcome, CallRecord, RejectedRequest } from './call-log';
export type { Scenario } from './scenarios';
export type { CallReport } from './handlers/route';
export type { ModelSpec } from './models';
export type { Answer, AnswerOptions, CallUsage, Failure, Interrupted, Pace, ScriptedReply } from './reply';
export type { ConversationView, Gate, Script, ScriptedCall, ToolExchange, ToolResult } from './script';
export type { ScriptedModel } from './server';
export type { ScriptedModelOptions } from './state';
