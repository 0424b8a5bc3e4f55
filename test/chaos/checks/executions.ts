import { agentsBelow } from '../tree/plan';
import type { Aftermath, Check } from './look';

/** Every run ended: no workflow of it is open, and the agents that nobody terminated completed. */
export const everyRunEnded: Check = ({ round, expected, executions, idsOf }) => {
  const open = executions.filter(({ status }) => status === 'RUNNING');
  const ids = new Map([...idsOf].flatMap(([name, all]) => all.map((id) => [id, name] as const)));
  const finished = new Set(expected.finished.map(({ name }) => name));
  const failed = executions.filter(({ workflowId, status }) => {
    const name = ids.get(workflowId) ?? '';
    return (
      finished.has(name) &&
      !round.reset.includes(name) &&
      !['COMPLETED', 'CONTINUED_AS_NEW', 'RUNNING'].includes(status)
    );
  });
  return [
    ...open.map(({ workflowId, type }) => `${type} ${workflowId} is still open`),
    ...failed.map(({ workflowId, status }) => `${ids.get(workflowId)}, ${workflowId}, ended as ${status}`),
  ];
};

/** No delegation ran twice: each agent has one workflow, and each workflow one chain of executions. */
export const nothingRanTwice: Check = (aftermath) => [
  ...agentsStartedTwice(aftermath),
  ...workflowsRunTwice(aftermath),
];

function agentsStartedTwice({ round, expected, idsOf }: Aftermath): string[] {
  const missing = expected.finished
    .filter(({ name }) => !idsOf.has(name))
    .map(({ name }) => `${name} was never started`);
  const known = new Set(agentsBelow(round.tree.root).map(({ name }) => name));
  return [
    ...missing,
    ...[...idsOf].flatMap(([name, ids]) => {
      if (!known.has(name)) return [`a delegation that is not in the tree was started: ${ids.join(', ')}`];
      return ids.length === 1 ? [] : [`${name} was delegated ${ids.length} times: ${ids.join(', ')}`];
    }),
  ];
}

/** A chain of executions that continue as new is one. A reset adds one: of an open agent, or of one that has just closed. */
function workflowsRunTwice({ round, executions, idsOf }: Aftermath): string[] {
  const resets = round.reset.flatMap((name) => idsOf.get(name) ?? []);
  const counts = new Map<string, number>();
  for (const { workflowId, status } of executions)
    if (status !== 'CONTINUED_AS_NEW') counts.set(workflowId, (counts.get(workflowId) ?? 0) + 1);
  return [...counts]
    .filter(([id, count]) => count > 1 + resets.filter((each) => each === id).length)
    .map(([id, count]) => `${id} ran ${count} times`);
}
