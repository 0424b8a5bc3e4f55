import { formatRelayStatus, rootTitle } from '../../domain/agent';
import { agentLabel } from '../../domain/kernel';
import { oneLine } from '../format';
import { StoredFactsReader } from '../record/stored-facts';
import { everyStoredAgent, type StoredAgent, type StoredRun } from '../record/stored-run';
import { pathOf } from './reduce-event';
import { relayView } from './relay-view';
import { budgetOf } from './run-facts';
import { runRow } from './run-row';
import type { AgentRow, RunView, ViewState } from './run-view';
import { withRemedy } from './view-failure';

const headlineLength = 200;

/**
 * Builds the view of a run from the store alone, for runs that the server no longer has, or whose server does not answer.
 * It has no segments.
 */
export async function storedView(run: StoredRun, isServerAway = false): Promise<RunView> {
  const { store, record, root } = run;
  const facts = new StoredFactsReader(run);
  const all = everyStoredAgent(root);
  const agents = await Promise.all(all.map((agent) => rowOf(run, facts, agent)));
  const { snapshot } = await facts.of(root);
  const { goal, relay, prompt, settings } = record;
  const { skill } = root.opened;
  const title = rootTitle({
    goal: oneLine(goal, headlineLength),
    ...(prompt === undefined ? {} : { prompt }),
    ...(skill === undefined ? {} : { skill }),
    ...(relay === null ? {} : { relay }),
  });
  const progress = snapshot.relay && formatRelayStatus(snapshot.relay);
  const heading = { runId: store.runId, goal, title, startedAt: Date.parse(root.preparedAt), progress };
  return {
    run: runRow(heading, agents, []),
    agents,
    incidents: [],
    relay: relayView(undefined, snapshot.relay, agents)?.view ?? null,
    budget: budgetOf(settings, snapshot),
    gaps: gapsOf(all, isServerAway),
  };
}

async function rowOf({ record }: StoredRun, facts: StoredFactsReader, agent: StoredAgent): Promise<AgentRow> {
  const { workflowId, delegation, ended, preparedAt } = agent;
  const { snapshot, figures } = await facts.of(agent);
  const path = pathOf(workflowId);
  const asked = delegation?.headline ?? record.goal;
  const failure = ended?.record?.failure ?? null;
  return {
    path,
    parent: path === '' ? null : path.slice(0, Math.max(0, path.lastIndexOf('/'))),
    headline: oneLine(asked, headlineLength) || (snapshot.skill ?? 'agent'),
    role: snapshot.skill,
    model: snapshot.relay === undefined ? snapshot.model : null,
    state: stateOf(agent),
    detail: failure?.type ?? '',
    failure: failure && withRemedy(failure),
    turn: snapshot.turn,
    maxTurns: snapshot.relay === undefined ? snapshot.maxTurns : null,
    own: figures.own,
    withDelegations: figures.withDelegations,
    startedAt: Date.parse(preparedAt),
    endedAt: ended === null ? null : Date.parse(ended.at),
    batch: null,
    segments: [],
  };
}

function stateOf({ ended }: StoredAgent): ViewState {
  if (ended === null) return 'unknown';
  return ended.record?.skipped === true ? 'skipped' : ended.status;
}

const shownOpen = 20;

const forgotten = 'The server no longer has this run’s history. It is shown from the store; when tools ran is missing.';
const away =
  'The Temporal server does not answer. The run is shown from the store; when tools ran, and what happens now, is missing.';

function gapsOf(all: readonly StoredAgent[], isServerAway: boolean): string[] {
  const open = all.filter(({ ended }) => ended === null).map(({ workflowId }) => agentLabel(workflowId));
  return [
    isServerAway ? away : forgotten,
    ...(open.length === 0
      ? []
      : [
          `The end of these is not recorded: ${open.slice(0, shownOpen).join(', ')}${open.length > shownOpen ? ', …' : ''}.`,
        ]),
  ];
}
