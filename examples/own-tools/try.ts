// Runs an agent with the tool, the slice and the prompt of this example, on a scripted model. It needs a server:
// npm run build && npm run -s baton -- dev --scripted, and in another terminal: node dist/examples/own-tools/try.js
import { dirname, join } from 'node:path';
import { createBaton } from '../../client'; // in your own project: 'baton-agents'
import { say, scriptByDepth, scriptByTurn, startScriptedModel, useTool } from '../../testing'; // 'baton-agents/testing'
import {
  connectClient,
  connectWorker,
  createAnthropicModel,
  createBatonWorker,
  openStore,
  readSettings,
  resolveConnection,
} from '../../worker'; // in your own project: 'baton-agents/worker'
import { reportRiskTool } from './report-risk';
import { reviewerPrompt } from './reviewer';

const risk = { id: 'R1', text: 'There is one disk', severity: 'high' };
const review = { mode: 'ad_hoc', prompt_ns: 'example', prompt_key: 'reviewer', instructions: 'Review the backups.' };

/** The agent reports a risk, and a reviewer says whether it was told about it. */
const script = scriptByDepth(
  scriptByTurn(useTool('report_risk', risk), useTool('dispatch_subagent', review), say('Reviewed.')),
  scriptByTurn((call) =>
    say(call.systemText.includes('R1 (high): There is one disk') ? 'I know R1.' : 'I know nothing.'),
  ),
);

async function main(): Promise<void> {
  // On a task queue of its own: all workers of one queue must have the same tools.
  const settings = { ...readSettings(), taskQueue: 'own-tools-try' };
  const target = await resolveConnection({ stateDir: settings.stateDir });
  const { client, close } = await connectClient(target);
  const connection = await connectWorker(target);
  const model = await startScriptedModel(script);
  const worker = await createBatonWorker({
    connection,
    client,
    namespace: target.namespace,
    taskQueue: settings.taskQueue,
    store: await openStore(settings),
    model: createAnthropicModel({ apiKey: 'scripted', baseUrl: model.baseUrl }),
    tools: [reportRiskTool],
    prompts: [reviewerPrompt.definition],
    workflowsPath: join(dirname(process.argv[1] ?? ''), 'workflows.js'),
  });
  await worker.runUntil(async () => {
    const run = await createBaton(client, { taskQueue: settings.taskQueue }).startRun({ goal: 'Review the project.' });
    const { kind } = await run.result();
    const told = model.calls.some(({ request }) => JSON.stringify(request).includes('I know R1.'));
    process.stdout.write(`${kind}; the reviewer ${told ? 'knew' : 'did not know'} the risk\n`);
  });
  await model.close();
  await connection.close();
  await close();
}

void main();
