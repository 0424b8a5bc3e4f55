import { builtInToolNames, definePrompt, subagentsSection } from 'baton-agents/worker';
import { z } from 'zod';

/** Leads a review: reads the list of files, starts one reviewer per file, and sums up. */
const leadPrompt = definePrompt({
  ns: 'review',
  key: 'lead',
  description: 'Reviews the files of a folder, with one reviewer per file.',
  parameters: z.object({ folder: z.string().describe('folder whose files are reviewed') }),
  sections: [
    {
      key: 'task',
      title: 'Task',
      template: [
        'Have every source file in `${folder}` reviewed for mistakes.',
        'List the files, then dispatch one reviewer per file, all in one call of `dispatch_subagents`, with `Review <path>.` as its reason.',
        'A reviewer reads its file and answers with one line: the path, and the worst mistake in it.',
        'Write all lines to the artifact `REVIEW.md`, and answer with the ones that must be fixed today.',
      ].join('\n'),
      tools: [
        builtInToolNames.listFiles,
        builtInToolNames.readFile,
        builtInToolNames.grep,
        builtInToolNames.writeArtifact,
      ],
    },
    subagentsSection(),
  ],
});

/** What this project adds to Baton. */
export const extensions = { prompts: [leadPrompt.definition] };
