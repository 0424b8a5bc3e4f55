import type { Client } from '@temporalio/client';
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import type { z } from 'zod';
import { isFailureType } from '../../domain/kernel';
import { failureCause } from '../../temporal-config/failure-cause';
import type { Failure } from './record';

/** A history event, as the server returns it. */
export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
/** Encoded arguments or results. */
export type Payloads = temporal.api.common.v1.IPayloads | null | undefined;
type ProtoFailure = temporal.api.failure.v1.IFailure | null | undefined;

/** Decodes the content of history events with the client's own converter and codecs. */
export class Decoder {
  /** Several translators look at the same input, and inputs are large. */
  private readonly decoded = new WeakMap<NonNullable<Payloads>, Promise<unknown>>();
  /** Values by the schema that they were checked with, because checking takes longer than decoding. */
  private readonly checked = new WeakMap<NonNullable<Payloads>, Map<z.ZodType, Promise<unknown>>>();

  constructor(private readonly client: Client) {}

  /**
   * Decodes one value; undefined if it does not match the schema. Workflows can be started with any input, and other
   * programs can send messages.
   */
  async read<T>(payloads: Payloads, schema: z.ZodType<T>): Promise<T | undefined> {
    if (payloads == null) return undefined;
    const known = this.checked.get(payloads) ?? new Map<z.ZodType, Promise<unknown>>();
    this.checked.set(payloads, known);
    const value = known.get(schema) ?? this.decode(payloads).then((decoded) => schema.safeParse(decoded).data);
    known.set(schema, value);
    return value as Promise<T | undefined>;
  }

  private decode(payloads: NonNullable<Payloads>): Promise<unknown> {
    const known = this.decoded.get(payloads);
    if (known !== undefined) return known;
    const values = decodeArrayFromPayloads(this.converter(), payloads.payloads ?? []);
    const first = values.then(([value]) => value);
    this.decoded.set(payloads, first);
    return first;
  }

  /** Decodes the UI summary that workflow code gave to a timer or a child. */
  async summary({ userMetadata }: HistoryEvent): Promise<string | undefined> {
    if (!userMetadata?.summary) return undefined;
    const [value] = await decodeArrayFromPayloads(this.converter(), [userMetadata.summary]);
    return typeof value === 'string' ? value : undefined;
  }

  /** Returns the cause of a failure. Its type is `otherwise` if it has none. */
  async failure(failure: ProtoFailure, otherwise: string): Promise<Failure> {
    const error = await decodeOptionalFailureToOptionalError(this.converter(), failure);
    const { type = otherwise, message } = failureCause(error, isFailureType);
    return { type, message };
  }

  private converter(): Client['options']['loadedDataConverter'] {
    return this.client.options.loadedDataConverter;
  }
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
