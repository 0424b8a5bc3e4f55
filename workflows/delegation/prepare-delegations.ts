import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { unspentAllowance } from '../../domain/budget';
import { type PreparedDelegation, unpackPrepared } from '../../domain/delegation';
import type { DispatchCall, PrepareDelegationsInput } from '../../domain/delegation/prepare';
import { utf8 } from '../../domain/kernel';
import { snapshotFormat, summarizeSnapshot } from '../../domain/session';
import type { StoreLocation } from '../../domain/store';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, agentWorkflowId, settingsInput, storeLocation } from '../agent/agent';
import { millisecondsUntil, workflowNow } from '../clock';
import { withOperatorRetry } from '../operator/operator-retry';
import type { CapturedSession } from '../session/transfer-session';
import { workspaceInput } from '../workspace/mount-and-fold';

/** Calls that one activity prepares. Their bytes leave room for the rest of its input in one payload. */
const maxCalls = 20;
const maxCallBytes = 8 * 1024;

/**
 * Has the delegations of one reply prepared, many by one activity: when the first of them may run, those that come next
 * are prepared with it. Later ones are prepared when it is their turn, so that their prompts tell what is left by then.
 */
export class DelegationPreparation {
  private readonly expected: DispatchCall[] = [];
  private readonly begun = new Map<number, Promise<ReadonlyMap<number, PreparedDelegation>>>();

  constructor(
    private readonly agent: Agent,
    private readonly session: CapturedSession,
  ) {}

  /** Announces a call as it will be made: with the arguments that an operator gave it, if one did. */
  expect(dispatch: DispatchCall): void {
    this.expected.push(dispatch);
  }

  /** Prepares an expected call. Called when every call of the reply that may run at once has been announced. */
  prepare(dispatch: DispatchCall): Promise<PreparedDelegation> {
    const preparing = this.begun.get(dispatch.ordinal) ?? this.begin(dispatch);
    return preparing.then((prepared) => prepared.get(dispatch.ordinal) ?? this.prepareAlone(dispatch));
  }

  private begin(dispatch: DispatchCall): Promise<ReadonlyMap<number, PreparedDelegation>> {
    const calls = this.takeFrom(dispatch);
    const preparing = this.prepareTogether(calls);
    // Those that have to wait for their turn await it later. Until then a failure must not count as unhandled.
    preparing.catch(() => undefined);
    for (const { ordinal } of calls) this.begun.set(ordinal, preparing);
    return preparing;
  }

  /** Takes a call and those that were announced after it, as many as one activity prepares. */
  private takeFrom(dispatch: DispatchCall): readonly DispatchCall[] {
    const first = this.expected.indexOf(dispatch);
    let bytes = 0;
    const end = this.expected.findIndex((one, index) => {
      if (index <= first) return false;
      bytes += utf8(JSON.stringify(one)).length;
      return index - first >= maxCalls || bytes > maxCallBytes;
    });
    return this.expected.splice(first, (end === -1 ? this.expected.length : end) - first);
  }

  /** Prepares calls by one activity. Those that it could not prepare with the others are missing. */
  private async prepareTogether(calls: readonly DispatchCall[]): Promise<ReadonlyMap<number, PreparedDelegation>> {
    const prepared = await this.run(calls);
    return new Map(
      prepared.flatMap((one, index) => {
        const ordinal = calls[index]?.ordinal;
        return one === null || ordinal === undefined ? [] : [[ordinal, one]];
      }),
    );
  }

  private async prepareAlone(dispatch: DispatchCall): Promise<PreparedDelegation> {
    const [prepared] = await this.run([dispatch]);
    if (prepared === undefined || prepared === null)
      throw new TypeError('A single delegation is prepared, or it fails');
    return prepared;
  }

  private async run(calls: readonly DispatchCall[]): Promise<readonly (PreparedDelegation | null)[]> {
    const { agent } = this;
    const { prepareDelegations } = proxyActivities<AgentActivities>(
      activityOptions(shortActivityOptions, agent.settings, summaryOf(calls)),
    );
    const input: PrepareDelegationsInput = { ...storeLocation(agent), calls, ...(await this.common()) };
    const result = await withOperatorRetry(agent, { name: 'composing a delegation' }, () => prepareDelegations(input));
    return unpackPrepared(input.parent.opened, result);
  }

  /** What the calls have in common: the parent, its session and files, and what is left of its resources. */
  private async common(): Promise<Omit<PrepareDelegationsInput, 'calls' | keyof StoreLocation>> {
    const { agent, session } = this;
    const { deadline } = agent.settings;
    return {
      parent: delegatingAgent(agent),
      settings: settingsInput(agent),
      snapshot: await session.transfer,
      snapshotSummary: summarizeSnapshot(agent.schema, session.snapshot),
      snapshotVersion: snapshotFormat,
      ...(session.problem === undefined ? {} : { snapshotProblem: session.problem }),
      at: workflowNow(),
      ...(deadline === undefined ? {} : { millisecondsLeft: millisecondsUntil(deadline) }),
      unspent: unspentAllowance(agent.progress.ledger),
      workspace: workspaceInput(session.workspace),
    };
  }
}

function summaryOf({ length }: readonly DispatchCall[]): string {
  return length === 1 ? 'compose a delegation' : `compose ${length} delegations`;
}

/** Describes the agent that delegates, for the activities that compose prompts. */
export function delegatingAgent({ delegationId, depth, progress }: Agent): PrepareDelegationsInput['parent'] {
  const { opened, head } = progress;
  const parent = { agentId: agentWorkflowId(), delegationId, depth, opened };
  return opened.transcript === undefined ? parent : { ...parent, head };
}
