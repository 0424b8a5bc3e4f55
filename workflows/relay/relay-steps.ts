import type { Session } from '../../domain/session';
import { withSession } from '../../domain/agent/tool-results';
import { afterItems } from '../../domain/relay/after-items';
import type { RelayDefinition } from '../../domain/relay/relay-definition';
import { deliver } from '../../domain/relay/merge-output';
import { nextStep, type ItemToRun, type RelayMove } from '../../domain/relay/next-step';
import { wantedPaths } from '../../domain/relay/select-output';
import type { RelayState } from '../../domain/relay/state';
import type { SpilledText } from '../../domain/store/spilled';
import type { Agent } from '../agent/agent';
import { foldWorkspace, hasLooseChanges, historyIsLong } from '../agent/agent-loop';
import { failure } from '../failures';
import { runItem, type RanItem } from './relay-item';
import { valuesOf } from '../tool/settle';
import { transferSession } from '../session/transfer-session';
import { Window } from '../delegation/semaphore';

/** Progress of a relay, apart from the session of its root. */
export interface RelayReached {
  state: RelayState;
  /** Final message of the last item that ended. */
  answer: SpilledText;
}

interface RelayAtWork {
  readonly definition: RelayDefinition;
  readonly agent: Agent;
  readonly reached: RelayReached;
}

type Run = Extract<RelayMove, { kind: 'run' }>;

/** Runs the steps of a relay until its definition has no next one. */
export async function runSteps(agent: Agent, definition: RelayDefinition, reached: RelayReached): Promise<void> {
  for (;;) {
    const move = nextStep(definition, reached.state);
    if (move.kind === 'finish') return;
    if (move.kind === 'fail') throw failure('Relay.Failed', move.message);
    await runItems({ agent, definition, reached }, move);
    if (hasLooseChanges(agent)) await foldWorkspace(agent);
    if (historyIsLong(agent)) await agent.startOver();
  }
}

/**
 * Runs items of a step concurrently, all from the current session, then merges what they wrote in the order of the
 * items.
 */
async function runItems(relay: RelayAtWork, move: Run): Promise<void> {
  const { agent } = relay;
  const { maxChildren, maxParallel } = agent.settings.limits;
  const first = agent.progress.delegations;
  if (first + move.items.length > maxChildren) {
    throw failure('Relay.Failed', `Step "${move.step.name}" would need more than ${maxChildren} delegations.`);
  }
  agent.progress = { ...agent.progress, delegations: first + move.items.length };
  agent.report('running tools', describe(move));
  const baseline = agent.progress.session;
  const session = transferSession(agent);
  const window = new Window(maxParallel, () => agent.desk.parkedChildren);
  const paths = wantedPaths(relay.definition, move.step);
  let waiting = move.items.length;
  const ended = await Promise.allSettled(
    move.items.map(async ({ input, index: number }, index) => {
      await window.enter();
      const notStarted = waiting;
      waiting -= 1;
      try {
        const item = {
          step: move.step,
          place: placeOf(move, number),
          input,
          ordinal: first + index,
          paths,
          notStarted,
        };
        return await runItem(agent, item, session);
      } finally {
        window.leave();
      }
    }),
  );
  const ran = valuesOf(ended);
  const problems = ran.flatMap((one, index) => takeOver(relay, move, move.items[index], baseline, one));
  if (problems.length > 0) throw failure('Relay.Failed', problems.join('\n').slice(0, 4_000));
  const values = ran.flatMap((one) => (one.ok ? [one.values] : []));
  relay.reached.state = afterItems(relay.definition, relay.reached.state, values);
}

/** Merges one item into the relay's session. Returns a description of what went wrong, or nothing. */
function takeOver(
  relay: RelayAtWork,
  move: Run,
  { index }: Pick<ItemToRun, 'index'> = { index: 0 },
  baseline: Session,
  ran: RanItem,
): string[] {
  const place = nameOf(move, index);
  if (!ran.ok) return [`${place} failed: ${ran.problem} [delegation_id ${ran.delegationId}]`];
  const { agent, reached } = relay;
  const { delegationId, result } = ran;
  const before = { session: agent.progress.session, owners: reached.state.owners };
  const { session, owners, problem } = deliver(agent.schema, before, baseline, {
    delegationId,
    owner: `${move.step.name}#${index}`,
    artifacts: result.artifacts,
    files: result.files ?? [],
    // An item that an operator skipped need not write its artifacts.
    missing: result.skipped === true ? [] : result.missingArtifacts,
  });
  if (problem !== undefined) return [`${place} failed: ${problem}. [delegation_id ${delegationId}]`];
  agent.progress = withSession(agent.progress, session);
  reached.state = { ...reached.state, owners };
  reached.answer = result.summary;
  return [];
}

function describe(move: Run): string {
  const [only] = move.items;
  return move.items.length === 1 && only !== undefined
    ? placeOf(move, only.index)
    : `${move.step.name} × ${move.of}${again(move)}`;
}

function placeOf(move: Run, index: number): string {
  const { step, of } = move;
  return `${step.name}${step.each === undefined ? '' : ` ${index + 1} of ${of}`}${again(move)}`;
}

function again({ round }: Run): string {
  return round === 1 ? '' : `, round ${round}`;
}

function nameOf({ step, of }: Run, index: number): string {
  return step.each === undefined ? `Step "${step.name}"` : `Step "${step.name}", item ${index + 1} of ${of},`;
}
