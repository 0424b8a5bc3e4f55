import { TranscriptCache } from '../store/transcript/cache';
import { TreeCache } from '../store/workspace/trees';
import { applySession, loadSessionUpdate } from './apply-session';
import { awaitChild } from './await-child';
import { callModel } from './call-model';
import { storeAt, type ActivityDependencies, type SharedDependencies } from './dependencies';
import { executeTool } from './execute-tool';
import { whileHeartbeating } from './heartbeat';
import type { AgentActivities } from './interface';
import { openRun } from './open-run';
import { prepareBatch } from './prepare-batch';
import { prepareDelegation } from './prepare-delegation';
import { finishResults, renderResults } from './render-results';
import { SessionSender } from './session-sender';
import { loadSnapshot, saveSnapshot } from './snapshots';
import { foldWorkspace, mountWorkspace } from './workspace';

/** The activities as Temporal registers them, over whatever store, model, tools and prompts the worker was given. */
export function createActivities(dependencies: ActivityDependencies): AgentActivities {
  const shared: SharedDependencies = {
    ...dependencies,
    transcriptCache: new TranscriptCache(),
    treeCache: new TreeCache(),
    sessionSender: new SessionSender(dependencies.client),
  };
  return {
    openRun: (input) => whileHeartbeating(() => openRun(shared, input)),
    mountWorkspace: (input) => mountWorkspace(shared, input),
    foldWorkspace: (input) => whileHeartbeating(async () => foldWorkspace(shared, input)),
    callModel: (input) => callModel(shared, input),
    executeTool: (input) => executeTool(shared, input),
    // Async, so that a refusal of the store is a failure of the activity and not of its start.
    saveSnapshot: (input) => whileHeartbeating(async () => saveSnapshot(storeAt(shared.store, input), input.snapshot)),
    loadSnapshot: (input) => whileHeartbeating(async () => loadSnapshot(storeAt(shared.store, input), input.ref)),
    prepareDelegation: (input) => whileHeartbeating(() => prepareDelegation(shared, input)),
    prepareBatch: (input) => prepareBatch(shared, input),
    renderResults: (input) => renderResults(shared, input),
    finishResults: (input) => finishResults(shared, input),
    applySession: (input) => applySession(shared, input),
    loadSessionUpdate: (input) => loadSessionUpdate(shared, input),
    awaitDelegation: (input) => awaitChild(shared, input),
    awaitSession: (input) => awaitChild(shared, input),
  };
}
