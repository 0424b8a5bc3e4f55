import { artifactsSlice, filesSlice } from '../../../domain/session/slices/files-slice';
import { notesSlice, planSlice } from '../../../domain/session/slices/plan-slice';
import { toolCallsSlice, toolUseSlice } from '../../../domain/session/slices/tool-calls-slice';
import { timingSlice } from './timing-slice';

/** The built-in slices of a release that has one more. */
export const builtInSlices = [
  artifactsSlice,
  filesSlice,
  timingSlice,
  notesSlice,
  planSlice,
  toolCallsSlice,
  toolUseSlice,
];
