import { TranscriptCache } from '../store/transcript/cache';
import { callModel } from './call-model';
import type { ActivityDependencies } from './dependencies';
import { executeTool } from './execute-tool';
import type { AgentActivities } from './interface';
import { openRun } from './open-run';

/** The activities as Temporal registers them, over whatever store, model and tools the worker was given. */
export function createActivities(dependencies: ActivityDependencies): AgentActivities {
  const shared = { ...dependencies, transcriptCache: new TranscriptCache() };
  return {
    openRun: (input) => openRun(shared, input),
    callModel: (input) => callModel(shared, input),
    executeTool: (input) => executeTool(shared, input),
  };
}
