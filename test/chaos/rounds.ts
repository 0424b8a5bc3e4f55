import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { keepEvidence } from './evidence';
import { faults } from './faults/all';
import { plantedViolations } from './planted';
import { planRound, playRound, type RoundResult } from './play-round';
import { type ChaosSession, openSession } from './session/session';

/** Small trees: `npm test` plays one round of every kind of fault, and `npm run chaos` as many as one wants. */
const maxAgents = 5;

/** Plays a round with each of these faults, one after the other in one session. */
export function describeRounds(title: string, rounds: Readonly<Record<string, number>>): void {
  describe(title, () => {
    let session: ChaosSession;
    beforeAll(async () => {
      session = await openSession();
    });
    afterAll(() => session.close());

    test.each(Object.entries(rounds))('%s, seed %d', async (name, seed) => {
      const fault = faults.get(name);
      const options = fault === undefined ? { faults: [], maxAgents } : { faults: [fault], maxAgents, only: [1] };
      const result = await playRound(session, planRound(session, seed, options));
      const { plan, round, calls, repeated, violations } = result;
      expect(plan.strikes).toHaveLength(fault === undefined ? 0 : 1);
      expect(violations).toEqual([]);
      // Nothing excuses a repeated call in an undisturbed round. The checks know what does in the others.
      if (fault !== undefined) return;
      expect([calls > 0, repeated]).toEqual([true, 0]);
      // The checks would have found it if something had been wrong.
      const lost = (what: string): unknown => expect.stringContaining(what) as unknown;
      expect(await plantedViolations(round)).toEqual({
        answer: [lost('instead of <<')],
        files: ['the file "planted.md" is lost', 'the artifact "planted.txt" is lost'],
        writes: [lost('the note "planted note" is lost'), lost('the plan step "planted step" is lost')],
        audit: expect.arrayContaining([lost('the parent prompt has hash')]) as unknown,
        replay: [lost('planted')],
      });
      await expectEvidence({ ...result, violations: ['planted'] });
    });
  });
}

/** What would be kept of this round if it had failed is complete. */
async function expectEvidence(result: RoundResult): Promise<void> {
  const folder = await keepEvidence(result);
  const namesIn = (name: string): Promise<string[]> => readdir(join(folder, name));
  expect(JSON.parse(await readFile(join(folder, 'round.json'), 'utf8'))).toMatchObject({
    seed: result.plan.seed,
    violations: ['planted'],
    tree: { runId: result.round.tree.runId },
    asked: expect.arrayContaining([expect.objectContaining({ name: expect.any(String) as string })]) as unknown,
  });
  expect(await namesIn('logs')).toEqual(expect.arrayContaining([expect.stringMatching(/worker/), 'server.log']));
  expect(await namesIn('store')).toEqual(expect.arrayContaining(['blobs', 'journal']));
  const histories = await namesIn('histories');
  expect(histories.filter((name) => name.includes('-COMPLETED-'))).not.toEqual([]);
  await rm(folder, { recursive: true });
}
