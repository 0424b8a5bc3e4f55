import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runIdOf } from '../../domain/kernel';
import { Harness, type RunHandle } from '../support/harness';
import { playRelay, type RelayHandle } from '../support/relays';
import tearDown from '../support/global-teardown';
import setUp from '../support/global-setup';
import '../support/quiet-temporal';
import { projectRoot } from '../support/paths';
import { historiesOf } from '../support/replay';
import { historiesFolder, recordedFiles, toRecorded } from './recorded';
import type { Scenario } from './scenario';
import { scenarios } from './scenarios';

type Execution = Awaited<ReturnType<typeof historiesOf>>[number];

/**
 * Runs scenarios on a server and stores the histories under the version that is being released (`npm run record`): those
 * with the given names, or else all.
 */
async function main(names: readonly string[]): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
  mkdirSync(historiesFolder, { recursive: true });
  // Histories of earlier releases are kept, because runs that started with them may still be open.
  const wanted = scenarios.filter(({ name }) => names.length === 0 || names.includes(name));
  const ofVersion = recordedFiles().filter((file) => file.startsWith(`${version}-`));
  const scenarioOf = (file: string): string => file.slice(version.length + 1).replace(/(-\d+)?\.json$/, '');
  const superseded = ofVersion.filter((file) => names.length === 0 || names.includes(scenarioOf(file)));
  for (const file of superseded) rmSync(join(historiesFolder, file));
  await setUp();
  try {
    for (const scenario of wanted) await record(scenario, version);
  } finally {
    await tearDown();
  }
}

async function record(
  { name, script, wishes, options, relay, others, meddle }: Scenario,
  version: string,
): Promise<void> {
  const harness = await Harness.start(script, options);
  try {
    const goal = 'Look around.';
    const handle =
      relay === undefined ? await harness.startRun({ goal, ...wishes }) : await playRelay(harness, relay(), { goal });
    await meddle?.(harness, handle as RunHandle);
    await handle.result().catch(() => undefined);
    const further = others?.(runIdOf(handle.workflowId) ?? '') ?? [];
    const executions = await historiesOf(harness.client, handle.workflowId, firstRunOf(handle));
    for (const id of further) executions.push(...(await historiesOf(harness.client, id)));
    executions.sort(byStart).forEach(({ workflowId, history }, index) => {
      const part = executions.length === 1 ? '' : `-${index + 1}`;
      const path = join(historiesFolder, `${version}-${name}${part}.json`);
      writeFileSync(path, `${JSON.stringify(toRecorded(workflowId, history), null, 1)}\n`);
      process.stderr.write(`${path}\n`);
    });
  } finally {
    await harness.close();
  }
}

function firstRunOf(handle: RunHandle | RelayHandle): string | undefined {
  return 'firstExecutionRunId' in handle ? handle.firstExecutionRunId : undefined;
}

function byStart(a: Execution, b: Execution): number {
  const startOf = ({ history }: Execution): number => Number(history.events?.[0]?.taskId ?? 0);
  return startOf(a) - startOf(b);
}

void main(process.argv.slice(2));
