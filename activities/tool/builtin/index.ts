import { addNoteTool } from './plan-tools';
import { addPlanStepsTool } from './add-plan-steps';
import { editFileTool } from './write-tools';
import { grepTool } from './grep';
import { listFilesTool } from './list-files';
import { readArtifactTool } from './read-artifact';
import { readFileTool } from './read-tools';
import type { Tool } from '../define-tool';
import { updatePlanStepTool } from './update-plan-step';
import { writeArtifactTool } from './write-artifact';
import { writeFileTool } from './write-file';

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
