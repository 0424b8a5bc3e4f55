import { readSettings } from '../../../temporal-config/node/settings';
import { runWorker } from '../../../worker/run-worker';

/** A worker as `baton worker` starts it, but of a careless release. */
async function main(): Promise<void> {
  await runWorker({
    settings: readSettings(),
    apiKey: 'scripted',
    extensions: { workflowsPath: require.resolve('./changed-workflows') },
    log: (line) => process.stderr.write(`${line}\n`),
  });
}

void main();
