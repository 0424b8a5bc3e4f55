import { turns } from '../../testing/scripted-model';
import { serveModel } from '../support/serve-model';
import { turnsOfBaton } from '../workloads';

const boundless = { id: 'claude-sonnet-5-5', maxInputTokens: 100_000_000, maxTokens: 128_000 };

/** Makes one tool call in every turn. The baseline stops much earlier on its own. */
serveModel((call) => turns(turnsOfBaton, { tool: 'make_noise', input: { seed: call.turn } })(call), {
  models: [boundless],
});
