import { executeToolActivity, recordEndingActivity, runTurnActivity } from '../domain/agent';
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
import type { ActivityContract } from '../domain/kernel';
import { findRetryActivity, notifyOperatorsActivity } from '../domain/operator';
import { loadOutputActivity, pickOutputActivity, storeOutputActivity } from '../domain/relay';
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
import { TranscriptCache } from '../store/transcript/cache';
import { TreeCache } from '../store/workspace/trees';
import { continueRun } from './agent/continue/continue-run';
import { LoadedPrompts } from './agent/loaded-prompts';
import { checkRun, openRun } from './agent/open-run';
import { recordEnding } from './agent/record-ending';
import { runTurn } from './agent/turn/run-turn';
import { withCheckedInput } from './boundary';
import { readSpending } from './budget/read-spending';
import { cachingStore } from './caching-store';
import { awaitChild, isWorkflowOpen } from './delegation/await-child';
import { DelegatingAgents } from './delegation/delegating-agent';
import { prepareBatch } from './delegation/prepare-batch';
import { prepareDelegations } from './delegation/prepare-delegations';
import { prepareSkill } from './delegation/prepare-skill';
import { finishResults, renderResults } from './delegation/render-results';
import { type ActivityDependencies, runStoreFor, type SharedDependencies } from './dependencies';
import { flushed } from './flushed';
import { takeHandoff } from './handoff/take-handoff';
import { whileHeartbeating } from './heartbeat';
import type { ActivityOf, AgentActivities } from './interface';
import { findRetry } from './operator/find-retry';
import { notifyOperators } from './operator/notify-operators';
import { openRelay } from './relay/open-relay';
import { pickOutput } from './relay/select-output';
import { loadOutput, storeOutput } from './relay/stored-output';
import { inRightStore } from './right-store';
import { applySession, findSession, loadSessionUpdate } from './session/apply-session';
import { SessionSender } from './session/session-sender';
import { loadSnapshot, saveSnapshot } from './session/snapshots';
import { findWriters, storeWriters } from './session/stored-writers';
import { readContent } from './store/read-content';
import { findDecision, keepDecision } from './tool/call-decisions';
import { changeTools } from './tool/change-tools';
import { checkCall } from './tool/check-call';
import { checkEdit } from './tool/check-edit';
import { executeTool } from './tool/execute-tool';
import { foldWorkspace, mountWorkspace } from './workspace/mount-and-fold';

/** Creates the activities that a worker registers, with the store, model, tools, prompts and skills it was given. */
export function createActivities(dependencies: ActivityDependencies): AgentActivities {
  const shared: SharedDependencies = {
    ...dependencies,
    store: cachingStore(dependencies.store),
    uncachedStore: dependencies.store,
    transcriptCache: new TranscriptCache(),
    treeCache: new TreeCache(),
    delegatingAgents: new DelegatingAgents(),
    briefings: new LoadedPrompts(),
    sessionSender: new SessionSender(dependencies.client),
    flush: () => Promise.resolve(),
  };
  return inRightStore(dependencies.store, {
    // These four check their input themselves: people write it, and the failure tells them how to correct it.
    checkRun: withHeartbeats((input) => checkRun(shared, input)),
    openRun: withHeartbeats((input) => flushed(shared, (own) => openRun(own, input))),
    continueRun: withHeartbeats((input) => flushed(shared, (own) => continueRun(own, input))),
    openRelay: withHeartbeats((input) => flushed(shared, (own) => openRelay(own, input))),
    ...agentActivities(shared),
    ...delegationActivities(shared),
    ...sessionActivities(shared),
  });
}

function agentActivities(shared: SharedDependencies) {
  return {
    mountWorkspace: withCheckedInput(mountWorkspaceActivity, (input) => mountWorkspace(shared, input)),
    foldWorkspace: short(foldWorkspaceActivity, (input) => flushed(shared, (own) => foldWorkspace(own, input))),
    runTurn: withCheckedInput(runTurnActivity, (input) => runTurn(shared, input)),
    executeTool: withCheckedInput(executeToolActivity, (input) => flushed(shared, (own) => executeTool(own, input))),
    checkCall: short(checkCallActivity, (input) => checkCall(shared, input)),
    findDecision: short(findDecisionActivity, (input) => findDecision(shared, input)),
    keepDecision: short(keepDecisionActivity, (input) => keepDecision(shared, input)),
    checkEdit: short(checkEditActivity, (input) => checkEdit(shared, input)),
    findRetry: short(findRetryActivity, (input) => findRetry(shared, input)),
    notifyOperators: withCheckedInput(notifyOperatorsActivity, (input) =>
      whileHeartbeating((signal) => notifyOperators(input, signal)),
    ),
    changeTools: short(changeToolsActivity, (input) => flushed(shared, (own) => changeTools(own, input))),
    takeHandoff: short(takeHandoffActivity, (input) => flushed(shared, (own) => takeHandoff(own, input))),
    recordEnding: short(recordEndingActivity, (input) => flushed(shared, (own) => recordEnding(own, input))),
    readSpending: short(readSpendingActivity, (input) => readSpending(shared, input)),
    pickOutput: short(pickOutputActivity, (input) => pickOutput(shared, input)),
    storeOutput: short(storeOutputActivity, (input) => storeOutput(shared, input)),
    loadOutput: short(loadOutputActivity, (input) => loadOutput(shared, input)),
    readContent: short(readContentActivity, (input) => readContent(shared, input)),
  };
}

function delegationActivities(shared: SharedDependencies) {
  return {
    prepareDelegations: short(prepareDelegationsActivity, (input) =>
      flushed(shared, (own) => prepareDelegations(own, input)),
    ),
    prepareSkill: short(prepareSkillActivity, (input) => flushed(shared, (own) => prepareSkill(own, input))),
    prepareBatch: short(prepareBatchActivity, (input) => flushed(shared, (own) => prepareBatch(own, input))),
    renderResults: short(renderResultsActivity, (input) => flushed(shared, (own) => renderResults(own, input))),
    finishResults: short(finishResultsActivity, (input) => flushed(shared, (own) => finishResults(own, input))),
    awaitDelegation: withCheckedInput(awaitDelegationActivity, (input) =>
      awaitChild(shared, input, awaitDelegationActivity.result),
    ),
    isWorkflowOpen: short(isWorkflowOpenActivity, (input) => isWorkflowOpen(shared, input)),
  };
}

function sessionActivities(shared: SharedDependencies) {
  return {
    saveSnapshot: short(saveSnapshotActivity, (input) =>
      saveSnapshot(runStoreFor(shared.store, input), input.snapshot),
    ),
    loadSnapshot: short(loadSnapshotActivity, (input) => loadSnapshot(runStoreFor(shared.store, input), input.ref)),
    applySession: withCheckedInput(applySessionActivity, (input) => applySession(shared, input)),
    loadSessionUpdate: short(loadSessionUpdateActivity, (input) => loadSessionUpdate(shared, input)),
    awaitSession: withCheckedInput(awaitSessionActivity, (input) =>
      awaitChild(shared, input, awaitSessionActivity.result),
    ),
    findSession: withCheckedInput(findSessionActivity, (input) => findSession(shared, input)),
    storeWriters: short(storeWritersActivity, (input) => storeWriters(shared, input)),
    findWriters: short(findWritersActivity, (input) => findWriters(shared, input)),
  };
}

/** A short activity: its input is checked, and it sends heartbeats. */
function short<Contract extends ActivityContract>(
  contract: Contract,
  work: ActivityOf<Contract>,
): ActivityOf<Contract> {
  return withCheckedInput(contract, withHeartbeats(work));
}

/**
 * Adds heartbeats to a short activity. Without them, the server would notice a dead worker only when the activity times
 * out. The inner function is async, so that an error thrown by the store fails the activity like any other.
 */
function withHeartbeats<Input, Result>(work: (input: Input) => Promise<Result>): (input: Input) => Promise<Result> {
  return (input) => whileHeartbeating(async () => work(input));
}
