import type { Decoder } from '../decoder';
import type { WorkEvent } from '../record';
import type { ChangeToolsArguments, Checked, TakeHandoffArguments } from './inputs';
import type { PendingEvent, EventTranslator, HistoryStep } from './step';

type Completed = NonNullable<HistoryStep['completed']>;

/** Translates what happens between an agent's turns: handoffs, checks of its answer, and tool changes. */
export class BetweenTurnEvents implements EventTranslator {
  constructor(private readonly decoder: Decoder) {}

  async read({ completed }: HistoryStep): Promise<readonly PendingEvent[]> {
    const body = completed && (await this.body(completed));
    return body === undefined ? [] : [{ body }];
  }

  private async body(completed: Completed): Promise<WorkEvent | undefined> {
    switch (completed.name) {
      case 'takeHandoff':
        return this.handedOver(completed);
      case 'checkAnswer': {
        const checked = await this.decoder.object<Checked<object>>(completed.result);
        return checked.ok ? undefined : { kind: 'answer.refused', violation: checked.violation };
      }
      case 'changeTools': {
        const { grant, revoke } = await this.decoder.object<ChangeToolsArguments>(completed.input);
        const { refused } = await this.decoder.object<{ refused: readonly string[] }>(completed.result);
        const granted = grant.filter((name) => !refused.includes(name));
        return { kind: 'tools.changed', granted, revoked: revoke, refused };
      }
      default:
        return undefined;
    }
  }

  private async handedOver({ input, result }: Completed): Promise<WorkEvent> {
    type Accepted = { readonly artifact: { readonly name: string }; readonly artifactTokens: number };
    const { number } = await this.decoder.object<TakeHandoffArguments>(input);
    const checked = await this.decoder.object<Checked<Accepted>>(result);
    if (!checked.ok) return { kind: 'handoff.refused', violation: checked.violation };
    const { artifact, artifactTokens } = checked;
    return { kind: 'agent.handedOver', handoff: number, artifact: artifact.name, artifactTokens };
  }
}
