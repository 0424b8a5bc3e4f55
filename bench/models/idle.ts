import { say, scriptByTurn, useTool } from '../../testing/scripted-model';
import { serveModel } from '../support/serve-model';

/** An agent that has done something and then waits for an operator. */
serveModel(
  scriptByTurn(
    useTool('add_note', { text: 'Everything is ready.' }),
    useTool('ask_operator', { question: 'Shall I begin?' }),
    say('Done.'),
  ),
);
