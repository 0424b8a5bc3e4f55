import { defineTool, ToolError } from 'baton-agents/worker';
import { z } from 'zod';

/** Counts words, which models are bad at. */
export const countWordsTool = defineTool({
  name: 'count_words',
  // Raise the version when the meaning of the tool changes.
  id: '{{name}}/count_words@1',
  description: 'Counts the words and characters of a text. Use it instead of estimating a length.',
  parameters: z.strictObject({ text: z.string().describe('the text to count') }),
  success: 'The numbers of words and characters.',
  cost: 'Free.',
  // After a crash in the middle of a call, the tool may run again. Use false for everything that sends, buys or deletes.
  safeToRepeat: true,

  async run({ text }) {
    const words = text.split(/\s+/).filter((word) => word !== '').length;
    // The model sees this message and can correct its call.
    if (words === 0) throw new ToolError('The text is empty. Pass the text whose words you want to count.');
    return { message: `${words} words, ${text.length} characters` };
  },
});
