export {
  actionsFor,
  checkDecision,
  checkSteering,
  formatIncidentSummary,
  parseIncidentSummary,
} from './check-decision';
export {
  type Amendment,
  type DecisionRecord,
  emptyOperatorState,
  type Incident,
  type OperatorAction,
  type OperatorDecision,
  operatorDecisionSchema,
  type OperatorState,
} from './contract';
