import { temporal } from '@temporalio/proto';
import { areTurns, runTurnActivity, turnsOf } from '../../../domain/agent';
import { formatRefusal } from '../../../domain/delegation';
import {
  prepareBatchActivity,
  prepareDelegationsActivity,
  prepareSkillActivity,
} from '../../../domain/delegation/prepare';
import { dispatchSubagentsName } from '../../../domain/tool';
import type { Decoder, HistoryEvent } from '../decoder';
import type { DelegationEvent } from '../record';
import { Children, relayName, type RequestedDelegation } from './children';
import { BetweenTurnEvents, Lifecycle } from './lifecycle';
import { LoopEvents } from './loop-events';
import { Operators } from './operators';
import { ReplacedModels } from './replaced-models';
import { SharedSessionEvents } from './shared-session';
import { type CompletedActivity, type EventTranslator, type HistoryStep, type PendingEvent, Steps } from './step';
import { Tools } from './tools';

const types = temporal.api.enums.v1.EventType;

/** Types of history events that never mean anything. They are about half of a history. */
const meaningless: ReadonlySet<HistoryEvent['eventType']> = new Set([
  types.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED,
  types.EVENT_TYPE_WORKFLOW_TASK_STARTED,
  types.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
  types.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
  types.EVENT_TYPE_WORKFLOW_PROPERTIES_MODIFIED,
]);

/** Whether a history event is translated into any event of the run. Those that are not need not be passed. */
export function isTranslated({ eventType }: HistoryEvent): boolean {
  return !meaningless.has(eventType);
}

/** Translates the history of one execution into events of the run. Pass every event exactly once, in order. */
export class Translator {
  private readonly steps: Steps;
  private readonly loop: LoopEvents;
  private readonly lifecycle: Lifecycle;
  /** They translate what an agent does, in the order of the events. */
  private readonly workers: readonly EventTranslator[];

  constructor(decoder: Decoder, executionId: string) {
    this.steps = new Steps(decoder);
    this.loop = new LoopEvents(decoder);
    this.lifecycle = new Lifecycle(decoder, executionId);
    this.workers = [
      new Delegations(decoder),
      new Tools(decoder),
      new SharedSessionEvents(decoder),
      new BetweenTurnEvents(decoder),
      new Operators(decoder),
      new ReplacedModels(decoder),
    ];
  }

  /** Returns the events that one history event means. */
  translate(event: HistoryEvent): readonly PendingEvent[] {
    if (this.steps.noteStart(event)) return [];
    const step = this.steps.of(event);
    const work: PendingEvent[] = [];
    for (const translator of this.workers) work.push(...translator.read(step));
    for (const { body } of work) this.loop.ended(body);
    // Lifecycle events come last, so that no event follows the end of its agent.
    for (const translator of [this.loop, this.lifecycle]) work.push(...translator.read(step));
    return work;
  }
}

/** Activities that tell which delegations an agent requested, and in which turn. */
const requestedBy: ReadonlySet<string | undefined> = new Set([
  runTurnActivity.name,
  prepareDelegationsActivity.name,
  prepareSkillActivity.name,
  prepareBatchActivity.name,
]);

/** Translates events about an agent's delegations: requested, refused, started, ended. */
class Delegations implements EventTranslator {
  /** Requested delegations by delegation id. */
  private readonly asked = new Map<string, RequestedDelegation>();
  private readonly children: Children;
  /** Number of the last turn. */
  private turn = 0;

  constructor(private readonly decoder: Decoder) {
    this.children = new Children(decoder, this.asked);
  }

  read(step: HistoryStep): readonly PendingEvent[] {
    return requestedBy.has(step.completed?.name) ? this.requestedIn(step) : this.children.read(step);
  }

  private requestedIn(step: HistoryStep): readonly PendingEvent[] {
    this.noteTurn(step);
    return this.prepared(step) ?? this.children.read(step);
  }

  private prepared({ completed }: HistoryStep): readonly PendingEvent[] | undefined {
    switch (completed?.name) {
      case prepareDelegationsActivity.name: {
        const { calls = [] } = this.decoder.value(completed.input, prepareDelegationsActivity.input) ?? {};
        const result = this.decoder.value(completed.result, prepareDelegationsActivity.result);
        return (result?.delegations ?? []).flatMap((one, index) => {
          const { id: callId = null, name = '' } = calls[index]?.call ?? {};
          const place = { turn: this.turn, callId, index: 0, size: 1 };
          return one === null ? [] : this.requested(name, one, one.ok ? one.headline : one.message, place);
        });
      }
      case prepareSkillActivity.name: {
        const one = this.decoder.value(completed.result, prepareSkillActivity.result);
        if (one === undefined) return [];
        // A relay requests delegations by the names of skills.
        const title = one.ok ? `${one.promptKey}: ${one.headline}` : one.message;
        return this.requested(relayName, one, title, { turn: 0, callId: null, index: 0, size: 1 });
      }
      case prepareBatchActivity.name: {
        return this.requestedBatch(completed);
      }
      default:
        return undefined;
    }
  }

  private requestedBatch({ input, result }: Pick<CompletedActivity, 'input' | 'result'>) {
    const asked = this.decoder.value(input, prepareBatchActivity.input);
    const batch = this.decoder.value(result, prepareBatchActivity.result);
    if (batch?.ok !== true) return [];
    const { from = 0, call } = asked ?? {};
    return batch.items.flatMap((item, index) => {
      const title = item.ok ? item.headline : `${item.type}: ${formatRefusal(item)}`;
      const place = { turn: this.turn, callId: call?.id ?? null, index: from + index, size: batch.total };
      return this.requested(dispatchSubagentsName, item, title, place);
    });
  }

  /** Remembers a delegation that was prepared, with its headline, or returns its refusal, with the reason. */
  private requested(
    tool: string,
    { ok, delegationId }: { readonly ok: boolean; readonly delegationId: string },
    text: string,
    place: Omit<RequestedDelegation, 'tool' | 'headline'>,
  ): readonly PendingEvent[] {
    if (!ok) return [refused(delegationId, tool, text)];
    this.asked.set(delegationId, { tool, headline: text, ...place });
    return [];
  }

  private noteTurn({ completed }: HistoryStep): void {
    if (completed?.name !== runTurnActivity.name) return;
    const sent = this.decoder.value(completed.input, runTurnActivity.input);
    const result = this.decoder.value(completed.result, runTurnActivity.result);
    if (sent === undefined || result === undefined || !areTurns(result)) return;
    this.turn = sent.identity.call + turnsOf(result).length;
  }
}

function refused(delegationId: string, tool: string, reason: string): PendingEvent {
  const body: DelegationEvent = { kind: 'delegation.refused', delegationId, tool, reason };
  return { body };
}
