import { notesSlice, recordsOf, type Session } from '../../../domain/session';
import { planSlice } from '../../../domain/session/slices/plan-slice';
import { sessionQuery } from '../../../workflows/messages';
import { type Writes, writesOf } from '../tree/expected';
import { type AgentPlan, agentsBelow, membersOf } from '../tree/plan';
import { deviations, type Wanted } from './counts';
import type { Aftermath, Check } from './look';

/**
 * Every write to a session is in it once. Looks at the session of each agent that has its own. It also contains what its
 * parent had written before, which is not looked at there.
 */
export const everyWriteOnce: Check = async (aftermath) => {
  const owners = aftermath.expected.finished.filter(({ session, isRelay }) => session === 'own' && isRelay !== true);
  return (await Promise.all(owners.map((owner) => checkSession(aftermath, owner)))).flat();
};

async function checkSession({ round, expected, idsOf }: Aftermath, owner: AgentPlan): Promise<string[]> {
  const [workflowId] = idsOf.get(owner.name) ?? [];
  if (workflowId === undefined) return [];
  const session = await round.session.client.workflow.getHandle(workflowId).query<Session>(sessionQuery);
  const members = membersOf(owner);
  const others = agentsBelow(round.tree.root).filter((agent) => !members.includes(agent));
  const wanted = (kind: keyof Writes): Wanted => {
    const by = (isOne: (agent: AgentPlan) => boolean): string[] =>
      members.filter(isOne).flatMap((agent) => writesOf(agent)[kind]);
    const isShared = (agent: AgentPlan): boolean => agent !== owner && round.reset.includes(agent.name);
    const isFinished = (agent: AgentPlan): boolean => expected.finished.includes(agent);
    return {
      once: by((agent) => isFinished(agent) && !isShared(agent)),
      maybe: by((agent) => !isFinished(agent)),
      twice: by((agent) => isFinished(agent) && isShared(agent)),
    };
  };
  const check = (what: string, kind: keyof Writes, found: readonly string[]): string[] => {
    const foreign = new Set(others.flatMap((agent) => writesOf(agent)[kind]));
    const own = found.filter((each) => !foreign.has(each));
    return deviations(what, own, wanted(kind)).map((problem) => `in the session of ${owner.name}, ${problem}`);
  };
  return [
    ...check(
      'note',
      'notes',
      recordsOf(session, notesSlice).map(({ text }) => text),
    ),
    ...check(
      'plan step',
      'steps',
      recordsOf(session, planSlice).map(({ title }) => title),
    ),
  ];
}
