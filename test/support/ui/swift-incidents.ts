import { parkedQuery } from '../../../client/agent/find-agent';
import { IncidentReader } from '../../../client/view/open-incidents';
import type { Harness } from '../harness';
import { parkWithoutWorker } from '../parked';
import { until } from '../until';

/** Agents without a worker that also wait, and longer, must not delay the others. */
export async function expectSwiftWithAway({ client }: Pick<Harness, 'client'>, root: string): Promise<void> {
  const bringBack = await parkWithoutWorker(client, 20);
  try {
    const isListed = async (): Promise<true | undefined> =>
      (await client.workflow.count(parkedQuery)).count > 20 || undefined;
    await until(isListed);
    const reader = new IncidentReader(client);
    const begun = Date.now();
    expect((await reader.read()).length).toBeGreaterThan(20);
    // A query that nobody answers takes three seconds.
    expect(Date.now() - begun).toBeLessThan(2_500);
    const known = await until(async () => {
      const mine = (await reader.read()).filter(({ workflowId }) => workflowId.startsWith(root));
      return mine[0]?.id === 'i1' ? mine : undefined;
    });
    expect(known).toHaveLength(1);
  } finally {
    await bringBack();
  }
}
