import { artifactsSlice, filesSlice } from './files-slice';
import { notesSlice, planSlice } from './plan-slice';
import { toolCallsSlice, toolUseSlice } from './tool-calls-slice';

const slices = [artifactsSlice, filesSlice, notesSlice, planSlice, toolCallsSlice, toolUseSlice] as const;

/**
 * Names of the slices of the first release. Every execution has had them from its start. A slice that is added later is
 * not one of them, built in or not: docs/decisions/session-added-slices.md.
 */
export const originalSlices: ReadonlySet<string> = new Set(slices.map(({ name }) => name));
