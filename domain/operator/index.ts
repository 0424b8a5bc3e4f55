// Operators: incidents, decisions, and the operator input that an agent carries over.
export {
  actionsFor,
  checkDecision,
  checkSteering,
  formatIncidentSummary,
  parseIncidentSummary,
} from './check-decision';
export {
  type Acknowledgement,
  type Amendment,
  type DecisionRecord,
  decisionRecordSchema,
  emptyOperatorState,
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
  resumeContract,
  setPausedContract,
  steerContract,
} from './contract';
export { boundedIncident, listIncidents, withDecision, withSteering } from './operator-state';
