import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentTree } from '../../../client';
import { addUsage, type CacheReadShares, type Usage } from '../../../domain/model';
import { say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { byDepth, dispatch } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { until } from '../../support/until';
import { batonInProcess, type Printed } from '../support/in-process';

const script = byDepth(
  scriptByTurn(useTool('dispatch_subagent', dispatch()), useTool('list_files', {}), say('Done.')),
  scriptByTurn(useTool('list_files', {}), say('Fine.')),
);

/** The share as a reader would compute it from the four counts. */
const shareOf = ({ input, cacheRead, cacheWrite }: Usage): number => cacheRead / (input + cacheRead + cacheWrite);

describe('the share of input tokens that were read from the cache', () => {
  let harness: Harness;
  let runId: string;
  let own: Usage;
  let delegated: Usage;
  const baton = (...args: readonly string[]): Promise<Printed> => {
    const { client, folder } = harness;
    return batonInProcess({ client, folder, env: { BATON_STORE_DIR: join(folder, 'store') } }, args);
  };

  beforeAll(async () => {
    harness = await Harness.start(script);
    const run = await harness.startRun();
    runId = run.workflowId.replace(/^run\//, '');
    ({ usage: own, delegatedUsage: delegated } = await run.result());
    expect(own.cacheRead).toBeGreaterThan(0);
    expect(delegated.cacheRead).toBeGreaterThan(0);
    expect(shareOf(own)).not.toBeCloseTo(shareOf(addUsage(own, delegated)), 3);
  });
  afterAll(() => harness.close());

  test('is printed by show, of the agent alone and with its delegations', async () => {
    const { stdout } = await baton('show', runId);
    const percent = (usage: Usage): string => `${(shareOf(usage) * 100).toFixed(0)} %`;
    const words = `${percent(own)} of the input tokens, ${percent(addUsage(own, delegated))} with delegations`;
    expect(/^cache read +(.*)$/m.exec(stdout)?.[1]).toBe(words);
    const { cacheReadShare } = JSON.parse((await baton('show', runId, '--json')).stdout) as {
      cacheReadShare: CacheReadShares;
    };
    expect(cacheReadShare.own).toBeCloseTo(shareOf(own), 4);
    expect(cacheReadShare.withDelegations).toBeCloseTo(shareOf(addUsage(own, delegated)), 4);
  });

  test('is part of tree --json, for every agent', async () => {
    // The server's search index lags behind.
    const tree = await until(async () => {
      const found = JSON.parse((await baton('tree', runId, '--json')).stdout) as AgentTree;
      return found.children[0]?.status === 'completed' ? found : undefined;
    });
    expect(tree.cacheReadShare.own).toBeCloseTo(shareOf(own), 4);
    expect(tree.cacheReadShare.withDelegations).toBeCloseTo(shareOf(addUsage(own, delegated)), 4);
    const [child] = tree.children;
    expect(child?.cacheReadShare.own).toBeCloseTo(shareOf(delegated), 4);
    expect(child?.cacheReadShare.withDelegations).toBe(child?.cacheReadShare.own);
  });

  test('is part of the report', async () => {
    const out = join(harness.folder, 'report.html');
    await baton('report', runId, '--plain', '--out', out);
    const page = await readFile(out, 'utf8');
    const total = `${(shareOf(addUsage(own, delegated)) * 100).toFixed(0)} %`;
    expect(page).toMatch(new RegExp(`cache read</span>\\s*<b>${total}</b>`));
    const cells = [...page.matchAll(/data-label="cache share">([^<]*)</g)].map(([, cell]) => cell);
    const [ownShare, childShare] = [own, delegated].map((usage) => `${(shareOf(usage) * 100).toFixed(0)} %`);
    expect(cells).toEqual([`${ownShare} (${total})`, childShare, total]);
  });
});
