import { z } from 'zod';
import { definePrompt } from './define';

/** The prompt of a general-purpose subagent, for tasks that no specialized prompt fits. */
export const subagentPrompt = definePrompt({
  ns: 'baton',
  key: 'subagent',
  description: 'A general-purpose subagent: investigates, writes or checks whatever its instructions say.',
  parameters: z.object({}),
  sections: [
    {
      key: 'stance',
      title: 'Stance',
      acceptsOverrides: true,
      template:
        'You carry out one delegated task. The Task Summary above says what to do; the parent prompt gives the background. ' +
        'Work only on this task, and stop when its required outputs exist.',
    },
    {
      key: 'evidence',
      title: 'Evidence',
      acceptsOverrides: true,
      template:
        'Check before you conclude: read the relevant files, and cite the files that your statements are based on in your ' +
        'final message. If you could not find something out, say so.',
    },
  ],
});
