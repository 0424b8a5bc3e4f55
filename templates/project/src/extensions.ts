import { projectSkills } from 'baton-agents/worker';
import { countWordsTool } from './count-words.js';

/** What this project adds to Baton: its tools, and the skills in .baton/skills. */
export const extensions = {
  tools: [countWordsTool],
  skills: projectSkills(process.cwd(), console.error),
};
