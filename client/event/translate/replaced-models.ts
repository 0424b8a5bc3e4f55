import { runTurnActivity } from '../../../domain/agent';
import type { Decoder } from '../decoder';
import { type Activity, type EventTranslator, type HistoryStep, nothing, type PendingEvent } from './step';

/** Translates changes to another model, because the one that an agent had could not be used. */
export class ReplacedModels implements EventTranslator {
  /** The last change that was translated: an operator may have the same call repeated. */
  private last = '';

  constructor(private readonly decoder: Decoder) {}

  read({ scheduled }: HistoryStep): readonly PendingEvent[] {
    return scheduled?.name === runTurnActivity.name ? this.asked(scheduled) : nothing;
  }

  private asked(scheduled: Activity): readonly PendingEvent[] {
    const sent = this.decoder.value(scheduled.input, runTurnActivity.input);
    const failed = sent?.insteadOf?.at(-1);
    const to = sent?.told?.changes?.model?.name;
    if (sent === undefined || failed === undefined || to === undefined) return [];
    const { model: from, ...failure } = failed;
    const turn = sent.identity.call + 1;
    const change = JSON.stringify([turn, from, to]);
    if (change === this.last) return [];
    this.last = change;
    return [{ body: { kind: 'model.replaced', turn, from, to, failure } }];
  }
}
