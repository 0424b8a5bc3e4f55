import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runName } from '../../store/run-name';
import type { RoundResult } from './play-round';

/** Copies what is known of a failed round to a folder that is not deleted, and returns the folder. */
export async function keepEvidence({ plan, round, violations }: RoundResult): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `baton-chaos-failed-${plan.seed}-`));
  const { session, tree, asked, windows, reset, terminated } = round;
  const facts = {
    seed: plan.seed,
    violations,
    strikes: plan.strikes.map(({ fault, ...when }) => ({ fault: fault.name, ...when })),
    reset,
    terminated: [...terminated],
    tree,
    asked,
    windows: windows.map(({ until, journaled }) => ({ until, journaled: [...journaled] })),
  };
  await writeFile(join(folder, 'round.json'), JSON.stringify(facts, null, 2));
  await cp(session.logs, join(folder, 'logs'), { recursive: true });
  await copyIfThere(join(session.folder, 'state', 'temporal', 'server.log'), join(folder, 'logs', 'server.log'));
  await copyIfThere(join(round.storeDir, 'runs', runName(tree.runId)), join(folder, 'store'));
  await keepHistories(round, join(folder, 'histories'));
  return folder;
}

async function keepHistories({ session: { client }, workflowId }: RoundResult['round'], folder: string): Promise<void> {
  await mkdir(folder);
  let number = 0;
  for await (const { workflowId: id, runId, status } of client.workflow.list({
    query: `WorkflowId STARTS_WITH "${workflowId}"`,
  })) {
    const history = await client.workflow.getHandle(id, runId).fetchHistory();
    const file = `${String((number += 1)).padStart(2, '0')}-${status.name}-${id.replaceAll('/', '_').slice(-60)}.json`;
    await writeFile(join(folder, file), JSON.stringify({ workflowId: id, runId, history }, null, 1));
  }
}

async function copyIfThere(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true }).catch(() => undefined);
}
