import { TranscriptCache } from '../store/transcript/cache';
import { TreeCache } from '../store/workspace/trees';
import { awaitDelegation } from './await-delegation';
import { callModel } from './call-model';
import { storeAt, type ActivityDependencies, type SharedDependencies } from './dependencies';
import { executeTool } from './execute-tool';
import type { AgentActivities } from './interface';
import { openRun } from './open-run';
import { prepareDelegation } from './prepare-delegation';
import { loadSnapshot, saveSnapshot } from './snapshots';
import { foldWorkspace, mountWorkspace } from './workspace';

/** The activities as Temporal registers them, over whatever store, model, tools and prompts the worker was given. */
export function createActivities(dependencies: ActivityDependencies): AgentActivities {
  const shared: SharedDependencies = {
    ...dependencies,
    transcriptCache: new TranscriptCache(),
    treeCache: new TreeCache(),
  };
  return {
    openRun: (input) => openRun(shared, input),
    mountWorkspace: (input) => mountWorkspace(shared, input),
    foldWorkspace: (input) => foldWorkspace(shared, input),
    callModel: (input) => callModel(shared, input),
    executeTool: (input) => executeTool(shared, input),
    // Async, so that a refusal of the store is a failure of the activity and not of its start.
    saveSnapshot: async (input) => saveSnapshot(storeAt(shared.store, input), input.snapshot),
    loadSnapshot: async (input) => loadSnapshot(storeAt(shared.store, input), input.ref),
    prepareDelegation: (input) => prepareDelegation(shared, input),
    awaitDelegation: (input) => awaitDelegation(shared, input),
  };
}
