import type { Client } from '@temporalio/client';
import type { AgentDetails } from '../../client/delegation/tree-node';
import type { TimeStyle } from '../../client/format';
import type { OpenIncident } from '../../client/operator/decide';
import { readOpenIncidents } from '../../client/operator/open-incidents';
import { abbreviateId, displayId, owningRunId, runWorkflowId } from '../../domain/kernel';
import { incidentHeadline, incidentLines } from '../operator/incident-lines';
import { cutLine, type Line } from '../screen/style';

/** Returns the open incidents of agents, oldest first. */
export function incidentsIn(details: ReadonlyMap<string, AgentDetails>): readonly OpenIncident[] {
  return [...details]
    .flatMap(([workflowId, { snapshot }]) => (snapshot?.incidents ?? []).map((incident) => ({ workflowId, incident })))
    .sort(oldestFirst);
}

function oldestFirst(a: OpenIncident, b: OpenIncident): number {
  return a.incident.since < b.incident.since ? -1 : 1;
}

/**
 * Returns all open incidents of a tree, oldest first. `details` has those of the agents that are drawn; the server is
 * asked for the others if the agent at the top reports that more agents wait.
 */
export async function incidentsOfTree(
  client: Client,
  top: string,
  details: ReadonlyMap<string, AgentDetails>,
): Promise<readonly OpenIncident[]> {
  const drawn = incidentsIn(details);
  const snapshot = details.get(top)?.snapshot ?? undefined;
  const waiting = new Set(drawn.map(({ workflowId }) => workflowId).filter((id) => id !== top));
  if (snapshot === undefined || snapshot.parkedBelow <= waiting.size) return drawn;
  const others = await readOpenIncidents(client, top, snapshot);
  const isNew = ({ workflowId }: OpenIncident): boolean => (details.get(workflowId)?.snapshot ?? null) === null;
  return [...drawn, ...others.filter(isNew)].sort(oldestFirst);
}

/**
 * Describes what waits for a person, below a tree: a single incident with all its commands, several in two lines each.
 * Takes at most `rows` rows.
 */
export function needsYouLines(
  open: readonly OpenIncident[],
  times: TimeStyle,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): readonly Line[] {
  const [first] = open;
  if (first === undefined || rows < 2) return [];
  const blocks =
    open.length === 1
      ? [incidentLines(withShortId(first), times, columns)]
      : open.map((one) => [incidentHeadline(one, times), [`    baton why ${displayId(withShortId(one).workflowId)}`]]);
  const shown: Line[] = [];
  for (const [index, block] of blocks.entries()) {
    const isLast = index === blocks.length - 1;
    if (shown.length + block.length + (isLast ? 1 : 2) > rows && index > 0) {
      shown.push([`    … and ${blocks.length - index} more: baton list --status needs-operator`]);
      break;
    }
    shown.push(...block);
  }
  return [[], ...shown.slice(0, rows - 1).map((line) => cutLine(line, columns))];
}

/** Commands accept the first letters of a delegation's id, which makes them short enough for one line. */
function withShortId({ workflowId, incident }: OpenIncident): OpenIncident {
  const [last = ''] = workflowId.split('/').slice(-1);
  const run = owningRunId(workflowId);
  return { workflowId: last === run ? workflowId : `${runWorkflowId(run)}/${abbreviateId(last)}`, incident };
}
