import { z } from 'zod';
import { builtInToolNames, definePrompt, promptSubagentToolsSection, subagentsSection } from '../../worker';
import { reviewerPrompt } from './reviewer';

/**
 * A prompt to start runs with: `baton run --prompt example/lead --param parts="backups and logins"`. The agent has exactly
 * the tools that its sections name.
 */
export const leadPrompt = definePrompt({
  ns: 'example',
  key: 'lead',
  description: 'Leads a review of several parts of a project.',
  parameters: z.object({ parts: z.string().describe('the parts to review') }),
  sections: [
    {
      key: 'task',
      title: 'Task',
      template: 'Have these parts of the project reviewed for risks, then report the most important ones: ${parts}.',
      tools: ['report_risk', builtInToolNames.listFiles, builtInToolNames.readFile],
    },
    promptSubagentToolsSection([reviewerPrompt.definition]),
    subagentsSection(),
  ],
});
