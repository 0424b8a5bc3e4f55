import {
  checkRunActivity,
  executeToolActivity,
  openRunActivity,
  recordEndingActivity,
  runTurnActivity,
} from '../domain/agent';
import { awaitDelegationActivity } from '../domain/delegation';
import {
  finishResultsActivity,
  prepareBatchActivity,
  prepareDelegationActivity,
  prepareSkillActivity,
  renderResultsActivity,
} from '../domain/delegation/prepare';
import { takeHandoffActivity } from '../domain/handoff';
import { findRetryActivity } from '../domain/operator';
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
  takeHandoffActivity,
  recordEndingActivity,
  saveSnapshotActivity,
  loadSnapshotActivity,
  prepareDelegationActivity,
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
] as const;
