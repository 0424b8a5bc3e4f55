import {
  checkRunActivity,
  continueRunActivity,
  executeToolActivity,
  openRunActivity,
  recordEndingActivity,
  runTurnActivity,
} from '../domain/agent';
import { readSpendingActivity } from '../domain/budget';
import { awaitDelegationActivity } from '../domain/delegation';
import {
  finishResultsActivity,
  prepareBatchActivity,
  prepareDelegationsActivity,
  prepareSkillActivity,
  renderResultsActivity,
} from '../domain/delegation/prepare';
import { takeHandoffActivity } from '../domain/handoff';
import { findRetryActivity, notifyOperatorsActivity } from '../domain/operator';
import { loadOutputActivity, openRelayActivity, pickOutputActivity, storeOutputActivity } from '../domain/relay';
import {
  applySessionActivity,
  awaitSessionActivity,
  findSessionActivity,
  findWritersActivity,
  isWorkflowOpenActivity,
  loadSessionUpdateActivity,
  loadSnapshotActivity,
  saveSnapshotActivity,
  storeWritersActivity,
} from '../domain/session';
import { readContentActivity } from '../domain/store';
import {
  changeToolsActivity,
  checkCallActivity,
  checkEditActivity,
  findDecisionActivity,
  keepDecisionActivity,
} from '../domain/tool';
import { foldWorkspaceActivity, mountWorkspaceActivity } from '../domain/workspace';

/** Contracts of all activities that workflows call. Every side effect of a run happens in one of them. */
export const activityContracts = [
  checkRunActivity,
  openRunActivity,
  continueRunActivity,
  openRelayActivity,
  mountWorkspaceActivity,
  foldWorkspaceActivity,
  runTurnActivity,
  executeToolActivity,
  changeToolsActivity,
  checkCallActivity,
  findDecisionActivity,
  keepDecisionActivity,
  checkEditActivity,
  findRetryActivity,
  notifyOperatorsActivity,
  takeHandoffActivity,
  recordEndingActivity,
  readSpendingActivity,
  saveSnapshotActivity,
  loadSnapshotActivity,
  prepareDelegationsActivity,
  prepareSkillActivity,
  prepareBatchActivity,
  renderResultsActivity,
  finishResultsActivity,
  awaitDelegationActivity,
  applySessionActivity,
  loadSessionUpdateActivity,
  awaitSessionActivity,
  findSessionActivity,
  storeWritersActivity,
  findWritersActivity,
  isWorkflowOpenActivity,
  pickOutputActivity,
  storeOutputActivity,
  loadOutputActivity,
  readContentActivity,
] as const;
