import type { RunStore, SpilledText } from '../../domain/store';
import { readSpilled } from '../../store/blobs';
import { TurnJournal } from '../../store/turn-journal';
import type { LogEntry } from './agent-log';
import { type EventBody, eventText } from './record';
import type { TurnPlace } from './translate/step';

type TurnRecord = Awaited<ReturnType<TurnJournal['find']>>;

/** Completes events of tool calls with what only the store has: the beginning of their arguments and results. */
export class StoredEventTexts {
  /** The record that was read last: the calls of a turn follow each other. */
  private last: { readonly key: string; readonly record: Promise<TurnRecord> } | undefined;

  constructor(private readonly store: RunStore) {}

  /** Returns the event with its texts. What the store does not have is left out. */
  async complete({ body, texts = {} }: LogEntry): Promise<EventBody> {
    if (body.kind !== 'tool') return body;
    const input = texts.arguments === undefined ? undefined : await this.read(texts.arguments);
    const result = texts.result === undefined ? undefined : await this.result(body.callId, texts.result);
    return {
      ...body,
      ...(input === undefined ? {} : { arguments: eventText(input) }),
      ...(result === undefined ? {} : { result: eventText(result) }),
    };
  }

  private async result(callId: string, stored: SpilledText | TurnPlace): Promise<string | undefined> {
    if (!('identity' in stored)) return this.read(stored);
    const record = await this.record(stored);
    const ran = record?.ran.find(({ result: { outcome } }) => outcome.callId === callId);
    return ran && this.read(ran.result.outcome.content);
  }

  private record({ identity, head: { hash } }: TurnPlace): Promise<TurnRecord> {
    const key = `${identity.call} ${identity.try} ${hash}`;
    if (this.last?.key === key) return this.last.record;
    const record = new TurnJournal(this.store, { identity, head: hash }).find().catch(() => undefined);
    this.last = { key, record };
    return record;
  }

  private read(text: SpilledText): Promise<string | undefined> {
    return readSpilled(this.store, text, 'text of an event').catch(() => undefined);
  }
}
