import { say, useTool } from '../../testing/scripted-model';
import { serveModel } from '../support/serve-model';
import { turnsPerNote } from '../workloads';

const boundless = { id: 'claude-sonnet-5-5', maxInputTokens: 100_000_000, maxTokens: 128_000 };

/** Makes one tool call in every turn, and a note now and then. */
serveModel(
  ({ turn, systemText }) => {
    const turns = Number(/Work for (\d+) turns/.exec(systemText)?.[1] ?? 0);
    if (turn >= turns) return say('Done.');
    if (turn % turnsPerNote === 0) return useTool('add_note', { text: `Reached turn ${turn}.` });
    return useTool('count', { from: turn });
  },
  { models: [boundless] },
);
