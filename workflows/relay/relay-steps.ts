import { withSession } from '../../domain/agent';
import {
  advanceAfterItems,
  describeRelay,
  type ItemsAtWork,
  type ItemToRun,
  mergeItemOutput,
  nextMove,
  type RelayDefinition,
  type RelayMove,
  type RelayProgress,
  selectedPaths,
} from '../../domain/relay';
import type { Session } from '../../domain/session';
import type { Agent } from '../agent/agent';
import { type Answered, type ContinuesAsNew, endExecution } from '../agent/agent-lifecycle';
import { mayContinueAsNew } from '../agent/agent-loop';
import { failure } from '../failures';
import { captureSession } from '../session/transfer-session';
import { settledValues } from '../tool/run-tools';
import { foldPendingChanges, hasUnfoldedChanges } from '../workspace/mount-and-fold';
import { type ItemResult, runItem } from './relay-item';
import { RelayOutputs } from './relay-outputs';

interface RelayAtWork {
  readonly definition: RelayDefinition;
  readonly agent: Agent;
  readonly reached: RelayProgress;
  readonly outputs: RelayOutputs;
  current: ItemsAtWork | undefined;
}

type Run = Extract<RelayMove, { kind: 'run' }>;

/** Runs the steps of a relay until its definition has no next one. The answer is that of the last item. */
export async function runRelaySteps(
  agent: Agent,
  definition: RelayDefinition,
  reached: RelayProgress,
): Promise<Answered | ContinuesAsNew> {
  const outputs = new RelayOutputs(agent);
  const relay: RelayAtWork = { agent, definition, reached, outputs, current: undefined };
  agent.relay = () => describeRelay(definition, reached.state, relay.current);
  for (;;) {
    const move = await outputs.use(reached.state, (state) => nextMove(definition, state));
    if (move.kind === 'finish') return { kind: 'answered', text: reached.answer };
    if (move.kind === 'fail') throw failure('Relay.Failed', move.message);
    await runItems(relay, move);
    if (hasUnfoldedChanges(agent)) await foldPendingChanges(agent);
    // A relay takes no turns of its own, so a limit of turns ends its execution after every step.
    if (mayContinueAsNew(agent.settings.tuning?.turnsPerExecution !== undefined)) return endExecution(agent);
  }
}

/**
 * Runs items of a step concurrently, all from the current session, then merges what they wrote in the order of the
 * items.
 */
async function runItems(relay: RelayAtWork, move: Run): Promise<void> {
  const { agent } = relay;
  const { maxChildren } = agent.settings.limits;
  const first = agent.progress.delegations;
  if (first + move.items.length > maxChildren) {
    throw failure('Relay.Failed', `Step "${move.step.name}" would need more than ${maxChildren} delegations.`);
  }
  agent.progress = { ...agent.progress, delegations: first + move.items.length };
  const current = (relay.current = atWork(relay, move));
  agent.report('running tools', describe(move));
  const baseline = agent.progress.session;
  const session = captureSession(agent);
  const paths = selectedPaths(relay.definition, move.step);
  let waiting = move.items.length;
  const ended = await Promise.allSettled(
    move.items.map(async ({ input, index: number }, index) => {
      const admission = agent.semaphore.acquire();
      if (admission !== undefined) await admission;
      const notStarted = waiting;
      waiting -= 1;
      try {
        const ordinal = first + index;
        const item = { step: move.step, place: placeOf(move, number), input, ordinal, paths, notStarted };
        return await runItem(agent, item, session);
      } finally {
        current.done += 1;
        agent.inbox.onChange();
        agent.semaphore.release();
      }
    }),
  );
  const results = settledValues(ended);
  const problems = results.flatMap((result, index) => mergeItem(relay, move, move.items[index], baseline, result));
  if (problems.length > 0) throw failure('Relay.Failed', problems.join('\n').slice(0, 4_000));
  await advance(relay, results);
}

function atWork({ reached }: RelayAtWork, { step, round, of }: Run): ItemsAtWork {
  return { step: step.name, round, of, done: reached.state.done.length };
}

async function advance({ definition, reached, outputs }: RelayAtWork, results: readonly ItemResult[]): Promise<void> {
  const values = results.flatMap((result) => (result.ok ? [result.values] : []));
  const advanced = await outputs.use(reached.state, (state) => advanceAfterItems(definition, state, values));
  reached.state = await outputs.store(advanced);
}

/** Merges one item into the relay's session. Returns a description of what went wrong, or nothing. */
function mergeItem(
  relay: RelayAtWork,
  move: Run,
  { index }: Pick<ItemToRun, 'index'> = { index: 0 },
  baseline: Session,
  item: ItemResult,
): string[] {
  const place = nameOf(move, index);
  if (!item.ok) return [`${place} failed: ${item.problem} [delegation_id ${item.delegationId}]`];
  const { agent, reached } = relay;
  const { delegationId, result } = item;
  const before = { session: agent.progress.session, owners: reached.state.owners };
  const { session, owners, problem } = mergeItemOutput(agent.schema, before, baseline, {
    delegationId,
    owner: `${move.step.name}#${index}`,
    artifacts: result.artifacts ?? [],
    files: result.files ?? [],
    // An item that an operator skipped need not write its artifacts.
    missing: result.skipped === true ? [] : (result.missingArtifacts ?? []),
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
    : `${move.step.name} × ${move.of}${roundSuffix(move)}`;
}

function placeOf(move: Run, index: number): string {
  const { step, of } = move;
  return `${step.name}${step.each === undefined ? '' : ` ${index + 1} of ${of}`}${roundSuffix(move)}`;
}

function roundSuffix({ round }: Run): string {
  return round === 1 ? '' : `, round ${round}`;
}

function nameOf({ step, of }: Run, index: number): string {
  return step.each === undefined ? `Step "${step.name}"` : `Step "${step.name}", item ${index + 1} of ${of},`;
}
