// Entry `baton-agents/workflows`: what a project needs to define its own session slices. It runs in the workflow sandbox.
export {
  append,
  defineSlice,
  eventHandler,
  RefusedEventError,
  replaceLatest,
  upsertBy,
  type ConflictPolicy,
  type Reducer,
  type Slice,
} from '../domain/session';
export { createWorkflows, type WorkflowOptions, type Workflows } from './create-workflows';
