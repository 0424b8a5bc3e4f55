import { say, type Script, useTool } from 'baton-agents/testing';

/** Plays the model: looks for a table, books the first, and passes on what happened. */
export const script: Script = ({ systemText, toolExchanges }) => {
  const guests = Number(/for (\d+)/.exec(systemText)?.[1]);
  const [free, booked] = toolExchanges;
  if (free === undefined) return useTool('free_tables', { guests });
  const table = free.result?.text.split('\n')[0] ?? '';
  if (booked === undefined) return useTool('book_table', { table, guests });
  if (booked.result?.isError === true) return say(`I am sorry, we can't do that tonight. ${booked.result.text}`);
  return say(`You are welcome! ${booked.result?.text ?? ''}`);
};
