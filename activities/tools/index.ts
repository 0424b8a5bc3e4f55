import { listFilesTool } from './list-files';
import { readFileTool } from './read-file';
import type { Tool } from './tool';

/** Tools that every agent has, unless they are taken away. */
export const builtInTools: readonly Tool[] = [listFilesTool, readFileTool];
