import { faults } from './faults/all';
import { plantedViolations } from './planted';
import { planRound, playRound } from './play-round';
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
      const { plan, round, calls, repeated, violations } = await playRound(session, planRound(session, seed, options));
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
    });
  });
}
