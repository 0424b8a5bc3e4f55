import type { PreparedBatch } from '../../../domain/delegation/batch';
import { dispatchSubagentsName } from '../../../domain/delegation/dispatch-subagents';
import type { PreparedDelegation } from '../../../domain/delegation/prepared';
import type { Decoder } from '../decoder';
import type { DelegationEvent } from '../record';
import { Children, relayName, type RequestedDelegation } from './children';
import type { CallArguments } from './inputs';
import type { PendingEvent, EventTranslator, HistoryStep } from './step';

/** Translates events about an agent's delegations: requested, refused, started, ended. */
export class Delegations implements EventTranslator {
  /** Requested delegations by delegation id. */
  private readonly asked = new Map<string, RequestedDelegation>();
  private readonly children: Children;

  constructor(private readonly decoder: Decoder) {
    this.children = new Children(decoder, this.asked);
  }

  async read(step: HistoryStep): Promise<readonly PendingEvent[]> {
    return (await this.prepared(step)) ?? (await this.children.read(step));
  }

  private async prepared({ completed }: HistoryStep): Promise<readonly PendingEvent[] | undefined> {
    if (completed?.name === 'prepareDelegation' || completed?.name === 'prepareSkill') {
      const { call } = await this.decoder.object<Partial<CallArguments>>(completed.input);
      // Calls come from agents. Without one, a relay requested the delegation.
      const tool = call?.name ?? relayName;
      const prepared = await this.decoder.object<PreparedDelegation>(completed.result);
      if (!prepared.ok) return [refused(prepared.delegationId, tool, prepared.message)];
      const headline = call === undefined ? `${prepared.promptKey}: ${prepared.headline}` : prepared.headline;
      this.asked.set(prepared.delegationId, { tool, headline });
      return [];
    }
    if (completed?.name === 'prepareBatch') {
      const batch = await this.decoder.object<PreparedBatch>(completed.result);
      return (batch.ok ? batch.items : []).flatMap((item) => {
        if (!item.ok) return [refused(item.delegationId, dispatchSubagentsName, item.error)];
        this.asked.set(item.delegationId, { tool: dispatchSubagentsName, headline: item.headline });
        return [];
      });
    }
    return undefined;
  }
}

function refused(delegationId: string, tool: string, reason: string): PendingEvent {
  const body: DelegationEvent = { kind: 'delegation.refused', delegationId, tool, reason };
  return { body };
}
