import { TranscriptCache } from '../store/transcript/cache';
import { TreeCache } from '../store/workspace/trees';
import { callModel } from './agent/call-model';
import { LoadedPrompts } from './agent/loaded-prompts';
import { openRun } from './agent/open-run';
import { cachingStore } from './caching-store';
import { awaitChild } from './delegation/await-child';
import { DelegatingAgents } from './delegation/delegating-agent';
import { prepareBatch } from './delegation/prepare-batch';
import { prepareDelegation } from './delegation/prepare-delegation';
import { prepareSkill } from './delegation/prepare-skill';
import { finishResults, renderResults } from './delegation/render-results';
import { type ActivityDependencies, runStoreFor, type SharedDependencies } from './dependencies';
import { takeHandoff } from './handoff/take-handoff';
import { whileHeartbeating } from './heartbeat';
import type { AgentActivities } from './interface';
import { openRelay } from './relay/open-relay';
import { pickOutput } from './relay/select-output';
import { applySession, findSession, loadSessionUpdate } from './session/apply-session';
import { SessionSender } from './session/session-sender';
import { loadSnapshot, saveSnapshot } from './session/snapshots';
import { checkAnswer } from './skill/check-answer';
import { changeTools } from './tool/change-tools';
import { executeTool } from './tool/execute-tool';
import { foldWorkspace, mountWorkspace } from './workspace/mount-and-fold';

/** Creates the activities that a worker registers, with the store, model, tools, prompts and skills it was given. */
export function createActivities(dependencies: ActivityDependencies): AgentActivities {
  const shared: SharedDependencies = {
    ...dependencies,
    store: cachingStore(dependencies.store),
    transcriptCache: new TranscriptCache(),
    treeCache: new TreeCache(),
    delegatingAgents: new DelegatingAgents(),
    briefings: new LoadedPrompts(),
    sessionSender: new SessionSender(dependencies.client),
  };
  return {
    openRun: withHeartbeats((input) => openRun(shared, input)),
    openRelay: withHeartbeats((input) => openRelay(shared, input)),
    pickOutput: withHeartbeats((input) => pickOutput(shared, input)),
    mountWorkspace: (input) => mountWorkspace(shared, input),
    foldWorkspace: withHeartbeats((input) => foldWorkspace(shared, input)),
    callModel: (input) => callModel(shared, input),
    executeTool: (input) => executeTool(shared, input),
    checkAnswer: withHeartbeats((input) => checkAnswer(shared, input)),
    changeTools: withHeartbeats((input) => changeTools(shared, input)),
    takeHandoff: withHeartbeats((input) => takeHandoff(shared, input)),
    saveSnapshot: withHeartbeats((input) => saveSnapshot(runStoreFor(shared.store, input), input.snapshot)),
    loadSnapshot: withHeartbeats((input) => loadSnapshot(runStoreFor(shared.store, input), input.ref)),
    prepareDelegation: withHeartbeats((input) => prepareDelegation(shared, input)),
    prepareSkill: withHeartbeats((input) => prepareSkill(shared, input)),
    prepareBatch: withHeartbeats((input) => prepareBatch(shared, input)),
    renderResults: withHeartbeats((input) => renderResults(shared, input)),
    finishResults: withHeartbeats((input) => finishResults(shared, input)),
    applySession: (input) => applySession(shared, input),
    loadSessionUpdate: withHeartbeats((input) => loadSessionUpdate(shared, input)),
    awaitDelegation: (input) => awaitChild(shared, input),
    awaitSession: (input) => awaitChild(shared, input),
    findSession: (input) => findSession(shared, input),
  };
}

/**
 * Adds heartbeats to a short activity. Without them, the server would notice a dead worker only when the activity times
 * out. The inner function is async, so that an error thrown by the store fails the activity like any other.
 */
function withHeartbeats<Input, Result>(work: (input: Input) => Promise<Result>): (input: Input) => Promise<Result> {
  return (input) => whileHeartbeating(async () => work(input));
}
