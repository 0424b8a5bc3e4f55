// Operators: incidents, decisions, and the operator input that an agent carries over.
export { announcementOf } from './announcement';
export { answerCommand, answerCommands } from './answer-commands';
export {
  actionsFor,
  checkAmendment,
  checkDecision,
  checkSteering,
  formatIncidentSummary,
  isAboutAnswer,
  parseIncidentSummary,
  resolveAnswer,
} from './check-decision';
export {
  type Acknowledgement,
  type Amendment,
  type DecisionRecord,
  decisionRecordSchema,
  emptyOperatorState,
  findRetryActivity,
  type FoundRetry,
  type Incident,
  incidentSchema,
  type OperatorAction,
  type OperatorDecision,
  operatorDecisionContract,
  operatorDecisionSchema,
  type OperatorNote,
  type OperatorState,
  operatorStateSchema,
  parkedContract,
  pauseContract,
  pausedState,
  resumeContract,
  type Retry,
  setPausedContract,
  type StandingDecision,
  standingContract,
  steerContract,
} from './contract';
export {
  type NotifyOperatorsInput,
  notifyOperatorsActivity,
  notifySchema,
  type NotifySettings,
} from './notification-contract';
export {
  boundedIncident,
  decisionRecord,
  formatRetryReason,
  listIncidents,
  parseRetryReason,
  standingFor,
  standingOf,
  withAmendment,
  withDecision,
  withStanding,
  withSteering,
} from './operator-state';
