import { artifactsSlice } from './artifacts';
import { filesSlice } from './files';
import { notesSlice } from './notes';
import { planSlice } from './plan';
import { toolCallsSlice, toolUseSlice } from './tool-calls';

/** The slices that every session has. List your own after them: `createSessionSchema([...builtInSlices, yours])`. */
export const builtInSlices = [artifactsSlice, filesSlice, notesSlice, planSlice, toolCallsSlice, toolUseSlice] as const;

export * from './artifacts';
export * from './files';
export { noteSchema, notesSlice, recordedDecisions, type Note } from './notes';
export * from './plan';
export * from './tool-calls';
