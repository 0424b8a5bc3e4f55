import type { Tool } from '../define-tool';
import { readArtifactTool, writeArtifactTool } from './artifact-tools';
import { grepTool } from './grep';
import { addNoteTool, addPlanStepsTool, updatePlanStepTool } from './plan-tools';
import { listFilesTool, readFileTool } from './read-tools';
import { editFileTool, writeFileTool } from './write-tools';

/** The built-in tools. Every agent has them unless a skill or an operator removes some. */
export const builtInTools: readonly Tool[] = [
  listFilesTool,
  readFileTool,
  grepTool,
  writeFileTool,
  editFileTool,
  writeArtifactTool,
  readArtifactTool,
  addPlanStepsTool,
  updatePlanStepTool,
  addNoteTool,
];
