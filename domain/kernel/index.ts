// Building blocks of every module: errors, failure types, JSON, ids, text, secrets, schema issues, contracts,
// concurrency.
export { canonicalJson, jsonDigest, sha256Hex, utf8 } from './canonical-json';
export { allEnded, ConcurrencyLimit, forEachWithLimit, mapWithLimit } from './concurrency';
export {
  type ActivityContract,
  activityContract,
  checkedFields,
  type InputOf,
  type MessageContract,
  noArgument,
  queryContract,
  type ResultOf,
  signalContract,
  uncheckedJson,
  uncheckedList,
  uncheckedObject,
  updateContract,
  type WorkflowContract,
  workflowContract,
} from './contract';
export { DomainError, InvalidInputError, type Json, type JsonObject } from './errors';
export { type FailureType, type FailureTypeInfo, failureTypes, isFailureType } from './failure-types';
export { globSchema, matchesGlob } from './glob';
export {
  abbreviateId,
  agentLabel,
  delegationId,
  type DelegationIdentity,
  delegationPath,
  displayId,
  owningRunId,
  parentOf,
  parseAgentId,
  runIdOf,
  runWorkflowId,
} from './ids';
export { createRedactor, type Redact, redactSecrets, removedSecret } from './redact';
export {
  checkValue,
  definitionFields,
  type FieldProblem,
  fieldProblems,
  filledTextSchema,
  firstIssue,
  formatFieldPath,
  formatIssue,
} from './schema-issues';
export { parseStrictJson } from './strict-json';
export {
  attribute,
  closestName,
  escapeTags,
  estimateTokens,
  isWellFormedUnicode,
  neutralizeMarkers,
  toWellFormedUnicode,
  truncateText,
  visibleJson,
  visibleText,
  wrapInTag,
} from './text';
