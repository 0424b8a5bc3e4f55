import { z } from 'zod';
import { definePrompt } from '../../worker';

/** A prompt that agents may dispatch. They see its name and description; their subagent sees all of it. */
export const reviewerPrompt = definePrompt({
  ns: 'example',
  key: 'reviewer',
  description: 'Looks for risks in the part of the project that its instructions name, and reports each of them.',
  parameters: z.object({}),
  sections: [
    {
      key: 'stance',
      title: 'Stance',
      template:
        'You review for risks. Read before you judge. Report every risk with `report_risk`, then say in two sentences ' +
        'which one matters most.',
    },
  ],
});
