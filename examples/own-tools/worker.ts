import { readSettings, runWorker } from '../../worker';
import { leadPrompt } from './lead';
import { reportRiskTool } from './report-risk';
import { reviewerPrompt } from './reviewer';

/** What this worker adds to Baton. */
export const extensions = {
  tools: [reportRiskTool],
  prompts: [leadPrompt.definition, reviewerPrompt.definition],
  workflowsPath: require.resolve('./workflows'),
};

if (require.main === module) {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  void runWorker({ settings: readSettings(), apiKey: process.env['ANTHROPIC_API_KEY'], extensions, log: say });
}
