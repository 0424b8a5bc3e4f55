import { say, type Script, scriptByTurn, useTool } from '../../testing/scripted-model';

/** An agent that has done something and then waits for an operator. */
export const idle: Script = scriptByTurn(
  useTool('add_note', { text: 'Everything is ready.' }),
  useTool('ask_operator', { question: 'Shall I begin?' }),
  say('Done.'),
);
