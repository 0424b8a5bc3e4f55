import type { PreparedBatch } from '../../../domain/dispatch/batch';
import { dispatchSubagentName } from '../../../domain/dispatch/dispatch-subagent';
import { dispatchSubagentsName } from '../../../domain/dispatch/dispatch-subagents';
import type { PreparedDelegation } from '../../../domain/dispatch/prepared';
import type { Decoder } from '../decoder';
import type { DelegationEvent } from '../record';
import { Children } from './children';
import type { Draft, Part, Step } from './step';

/** Delegations of an agent: asked for, refused, begun, ended. */
export class Delegations implements Part {
  /** By which tool a delegation was asked for. */
  private readonly tools = new Map<string, string>();
  private readonly children: Children;

  constructor(private readonly decoder: Decoder) {
    this.children = new Children(decoder, this.tools);
  }

  async read(step: Step): Promise<readonly Draft[]> {
    return (await this.prepared(step)) ?? (await this.children.read(step));
  }

  private async prepared({ completed }: Step): Promise<readonly Draft[] | undefined> {
    if (completed?.name === 'prepareDelegation') {
      const prepared = await this.decoder.object<PreparedDelegation>(completed.result);
      this.tools.set(prepared.delegationId, dispatchSubagentName);
      return prepared.ok ? [] : [refused(prepared.delegationId, dispatchSubagentName, prepared.message)];
    }
    if (completed?.name === 'prepareBatch') {
      const batch = await this.decoder.object<PreparedBatch>(completed.result);
      const items = batch.ok ? batch.items : [];
      for (const { delegationId } of items) this.tools.set(delegationId, dispatchSubagentsName);
      return items.flatMap((item) => (item.ok ? [] : [refused(item.delegationId, dispatchSubagentsName, item.error)]));
    }
    return undefined;
  }
}

function refused(delegationId: string, tool: string, reason: string): Draft {
  const body: DelegationEvent = { kind: 'delegation.refused', delegationId, tool, reason };
  return { body };
}
