import { z } from 'zod';
import { definePrompt } from '../definition/define';

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
        'You carry out one delegated task. The task summary above says what to do; the parent prompt says why. Work on the ' +
        'task only, and stop when its required outputs are there.',
    },
    {
      key: 'evidence',
      title: 'Evidence',
      acceptsOverrides: true,
      template:
        'Look before you conclude: read the files concerned, and say in your final message which of them your statements ' +
        'rest on. What you could not find out, say so.',
    },
  ],
});
