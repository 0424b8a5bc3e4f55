import { delegationIds } from '../checks/look';
import { reset as resetTo } from '../../support/batches';
import { childrenOf } from '../tree/plan';
import type { Disturbed, Fault } from './fault';

/** An agent whose workflow is open. */
interface OpenAgent {
  readonly name: string;
  readonly workflowId: string;
  readonly runId: string;
}

/** Agents that are at work now, in the order of their names. */
async function openAgents(round: Disturbed): Promise<OpenAgent[]> {
  const ids = await delegationIds(round);
  const found = await Promise.all(
    [...ids].map(async ([name, [workflowId = '']]): Promise<OpenAgent[]> => {
      const described = await round.session.client.workflow
        .getHandle(workflowId)
        .describe()
        .catch(() => undefined);
      return described?.status.name === 'RUNNING' ? [{ name, workflowId, runId: described.runId }] : [];
    }),
  );
  return found.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const resetAgent: Fault = {
  name: 'reset',
  summary: 'an operator resets an open agent to one of its earlier workflow tasks',
  // Until its next heartbeat, the worker continues the turn of the execution that was reset.
  repeatsCallsFor: 3_000,
  async strike(round) {
    const { client } = round.session;
    // An agent that is told again of a terminated delegation runs it again, so that the result would be another one.
    const open = (await openAgents(round)).filter(
      ({ name }) => ![...round.terminated].some((one) => one.startsWith(name)),
    );
    const chosen = open[round.random(Math.max(1, open.length))];
    if (chosen === undefined) return;
    const { events } = await client.workflow.getHandle(chosen.workflowId, chosen.runId).fetchHistory();
    const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
    const task = tasks[round.random(Math.max(1, tasks.length))]?.eventId;
    // It may have closed in the meantime. Then its parent keeps the result that it has, and the new one is the same.
    const isReset = await resetTo(client, chosen, task).then(
      () => true,
      () => false,
    );
    if (isReset) round.reset.push(chosen.name);
  },
};

export const terminateAgent: Fault = {
  name: 'terminate',
  summary: 'an operator terminates an open delegation; its parent is told',
  async strike(round) {
    const { root } = round.tree;
    // A relay fails with its step, so that there would be no result.
    const kept = new Set([root, ...(root.isRelay === true ? childrenOf(root) : [])].map(({ name }) => name));
    const open = (await openAgents(round)).filter(({ name }) => !kept.has(name));
    const chosen = open[round.random(Math.max(1, open.length))];
    if (chosen === undefined) return;
    const terminated = await round.session.client.workflow
      .getHandle(chosen.workflowId)
      .terminate('chaos')
      .then(
        () => true,
        () => false,
      );
    if (terminated) round.terminated.add(chosen.name);
  },
};
