import { artifactsSlice, filesSlice } from './files-slice';
import { notesSlice, planSlice } from './plan-slice';
import { toolCallsSlice, toolUseSlice } from './tool-calls-slice';

/** The slices that every session has. List your own after them: `createSessionSchema([...builtInSlices, yours])`. */
export const builtInSlices = [artifactsSlice, filesSlice, notesSlice, planSlice, toolCallsSlice, toolUseSlice] as const;
