// What a project needs to give its sessions slices of their own: `baton/workflows`. Runs in the sandbox.
export {
  append,
  defineSlice,
  reducing,
  RefusedEventError,
  replaceLatest,
  upsertBy,
  type ConflictPolicy,
  type Reducer,
  type Slice,
} from '../domain/session';
export { createWorkflows, type WorkflowOptions, type Workflows } from './create-workflows';
