import type { Client } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { z } from 'zod';
import { isFailureType } from '../../domain/kernel';
import { EncryptionCodec } from '../../encryption/payload-codec';
import { failureCause } from '../../temporal-config/failure-cause';
import type { Failure } from './record';

/** A history event, as the server returns it. */
export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
/** Encoded arguments or results. */
export type Payloads = temporal.api.common.v1.IPayloads | null | undefined;
type ProtoFailure = temporal.api.failure.v1.IFailure | null | undefined;

/**
 * Decodes the content of history events with the client's own converter and codecs. Large runs have hundreds of thousands
 * of values, so they are read without a promise once their events were opened.
 */
export class Decoder {
  /** Several translators look at the same input, and inputs are large. */
  private readonly decoded = new WeakMap<NonNullable<Payloads>, unknown>();
  /** Values by the schema that they were checked with, because checking takes longer than decoding. */
  private readonly checked = new WeakMap<NonNullable<Payloads>, Map<z.ZodType, unknown>>();
  /** Payloads that were passed through the codecs. */
  private readonly opened = new WeakSet<Payload>();

  private readonly codecs: readonly PayloadCodec[];
  private readonly ownCodecs: readonly EncryptionCodec[];

  constructor(private readonly client: Client) {
    this.codecs = client.options.loadedDataConverter.payloadCodecs;
    this.ownCodecs = this.codecs.filter(isOwn);
  }

  /**
   * Passes all payloads in some events, or in a part of one, through the client's codecs, in place. Must be called before
   * they are read. Baton's own codec needs no promise, and is left to the reading.
   */
  async open(part: unknown): Promise<void> {
    if (this.codecs.every(isOwn)) return;
    for (const payload of payloadsIn(part)) {
      if (this.opened.has(payload)) continue;
      this.opened.add(payload);
      let coded: Payload[] = [payload];
      for (const codec of [...this.codecs].reverse()) coded = await codec.decode(coded);
      Object.assign(payload, coded[0]);
    }
  }

  /**
   * Returns a value of an opened event; undefined if it does not match the schema. Workflows can be started with any input,
   * and other programs can send messages.
   */
  value<T>(payloads: Payloads, schema: z.ZodType<T>): T | undefined {
    if (payloads == null) return undefined;
    const known = this.checked.get(payloads) ?? new Map<z.ZodType, unknown>();
    if (known.has(schema)) return known.get(schema) as T | undefined;
    const { data } = schema.safeParse(this.decode(payloads));
    this.checked.set(payloads, known.set(schema, data));
    return data;
  }

  /** Returns the UI summary that workflow code gave to a timer or a child; undefined if an opened event has none. */
  summaryOf({ userMetadata }: HistoryEvent): string | undefined {
    const value = userMetadata?.summary ? this.convert(userMetadata.summary) : undefined;
    return typeof value === 'string' ? value : undefined;
  }

  /** Returns the cause of a failure in an opened event. Its type is `otherwise` if it has none. */
  cause(failure: ProtoFailure, otherwise: string): Failure {
    const { failureConverter, payloadConverter } = this.client.options.loadedDataConverter;
    for (const payload of payloadsIn(failure)) this.openNow(payload);
    const error = failure == null ? undefined : failureConverter.failureToError(failure, payloadConverter);
    const { type = otherwise, message } = failureCause(error, isFailureType);
    return { type, message };
  }

  /** Opens and returns a value like `value`. */
  async read<T>(payloads: Payloads, schema: z.ZodType<T>): Promise<T | undefined> {
    await this.open(payloads);
    return this.value(payloads, schema);
  }

  /** Opens an event, and returns its summary like `summaryOf`. */
  async summary(event: HistoryEvent): Promise<string | undefined> {
    await this.open(event.userMetadata);
    return this.summaryOf(event);
  }

  private decode(payloads: NonNullable<Payloads>): unknown {
    if (this.decoded.has(payloads)) return this.decoded.get(payloads);
    const [first] = payloads.payloads ?? [];
    const value = first && this.convert(first);
    this.decoded.set(payloads, value);
    return value;
  }

  private convert(payload: Payload): unknown {
    this.openNow(payload);
    return this.client.options.loadedDataConverter.payloadConverter.fromPayload(payload);
  }

  private openNow(payload: Payload): void {
    if (this.opened.has(payload)) return;
    const opened = this.ownCodecs.reduceRight((coded, codec) => codec.open(coded), payload);
    if (opened === payload) return;
    this.opened.add(payload);
    Object.assign(payload, opened);
  }
}

function isOwn(codec: PayloadCodec): codec is EncryptionCodec {
  return codec instanceof EncryptionCodec;
}

function payloadsIn(part: unknown): Payload[] {
  if (typeof part !== 'object' || part === null || part instanceof Uint8Array) return [];
  return isPayload(part) ? [part] : Object.values(part).flatMap(payloadsIn);
}

function isPayload(part: object): part is Payload {
  return 'data' in part && part.data instanceof Uint8Array;
}

/** Converts an event id to a number. */
export function idOf(id: HistoryEvent['eventId']): number {
  return id?.toNumber() ?? 0;
}

/**
 * Returns the time of an event in microseconds since 1970. This is exact in a number and orders the events of a
 * workflow.
 */
export function microsecondsOf({ eventTime }: HistoryEvent): number {
  return (eventTime?.seconds?.toNumber() ?? 0) * 1e6 + Math.floor((eventTime?.nanos ?? 0) / 1e3);
}
