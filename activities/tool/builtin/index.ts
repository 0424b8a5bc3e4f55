import type { builtInToolNames } from '../../../domain/tool';
import type { Tool } from '../define-tool';
import { readArtifactTool, writeArtifactTool } from './artifact-tools';
import { grepTool } from './grep';
import { addNoteTool, addPlanStepsTool, updatePlanStepTool } from './plan-tools';
import { listFilesTool, readFileTool } from './read-tools';
import { editFileTool, writeFileTool } from './write-tools';

const byName: Readonly<Record<keyof typeof builtInToolNames, Tool>> = {
  listFiles: listFilesTool,
  readFile: readFileTool,
  grep: grepTool,
  writeFile: writeFileTool,
  editFile: editFileTool,
  writeArtifact: writeArtifactTool,
  readArtifact: readArtifactTool,
  addPlanSteps: addPlanStepsTool,
  updatePlanStep: updatePlanStepTool,
  addNote: addNoteTool,
};

/** The built-in tools. Every agent has them unless a skill or an operator removes some. */
export const builtInTools: readonly Tool[] = Object.values(byName);
