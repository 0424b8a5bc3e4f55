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
  decisionRecordSchema,
  emptyOperatorState,
  type Incident,
  incidentSchema,
  type OperatorAction,
  type OperatorDecision,
  operatorDecisionSchema,
  type OperatorState,
  operatorStateSchema,
} from './contract';
