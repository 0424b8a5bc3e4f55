import type { RunStore, SpilledText } from '../../domain/store';
import { readSpilled } from '../../store/blobs';
import { TurnJournal } from '../../store/turn-journal';
import type { LogEntry } from './agent-log';
import { type EventBody, eventText, type RunEvent } from './record';
import type { CallTexts, TurnPlace } from './translate/step';

/** Where the texts of events are that were read without the store. */
const placesOfTexts = new WeakMap<RunEvent, CallTexts>();

/** Remembers where the texts of an event are, so that `completeEvent` finds them. */
export function rememberTexts(event: RunEvent, { texts }: LogEntry): void {
  if (texts !== undefined) placesOfTexts.set(event, texts);
}

type TurnRecord = Awaited<ReturnType<TurnJournal['find']>>;

interface Completed<Body> {
  readonly body: Body;
  readonly texts?: CallTexts;
}

/** Completes events of tool calls with what only the store has: the beginning of their arguments and results. */
export class StoredEventTexts {
  /** The record that was read last: the calls of a turn follow each other. */
  private last: { readonly key: string; readonly record: Promise<TurnRecord> } | undefined;

  constructor(private readonly store: RunStore) {}

  /** Returns the event with its texts. What the store does not have is left out. */
  async complete<Body extends EventBody>({ body, texts = {} }: Completed<Body>): Promise<Body> {
    if (body.kind !== 'tool') return body;
    const input = texts.arguments === undefined ? undefined : await this.read(texts.arguments);
    const result = texts.result === undefined ? undefined : await this.result(body.callId, texts.result);
    return {
      ...body,
      ...(input === undefined ? {} : { arguments: eventText(input) }),
      ...(result === undefined ? {} : { result: eventText(result) }),
    };
  }

  /** Returns an event that was read without the store with its texts. */
  completeEvent(event: RunEvent): Promise<RunEvent> {
    const texts = placesOfTexts.get(event);
    return texts === undefined ? Promise.resolve(event) : this.complete({ body: event, texts });
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
