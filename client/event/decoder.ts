import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import type { Failure } from './record';

/** A history event, as the server returns it. */
export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
/** Encoded arguments or results. */
export type Payloads = temporal.api.common.v1.IPayloads | null | undefined;
type ProtoFailure = temporal.api.failure.v1.IFailure | null | undefined;

/** Decodes the content of history events with the client's own converter and codecs. */
export class Decoder {
  constructor(private readonly client: Client) {}

  /**
   * Decodes one value as an object. Workflows can be started with any input, so a value that is not an object is
   * wrapped.
   */
  async object<T extends object>(payloads: Payloads): Promise<T> {
    const [value] = await decodeArrayFromPayloads(this.converter(), payloads?.payloads ?? []);
    return Object(value) as T;
  }

  /** Decodes the UI summary that workflow code gave to a timer or a child. */
  async summary({ userMetadata }: HistoryEvent): Promise<string | undefined> {
    if (!userMetadata?.summary) return undefined;
    const [value] = await decodeArrayFromPayloads(this.converter(), [userMetadata.summary]);
    return typeof value === 'string' ? value : undefined;
  }

  /** Returns the innermost failure that has a type, because those around it are wrappers. */
  async failure(failure: ProtoFailure, otherwise: string): Promise<Failure> {
    let found: Failure = { type: otherwise, message: failure?.message ?? '' };
    const error = await decodeOptionalFailureToOptionalError(this.converter(), failure);
    for (let at: unknown = error; at instanceof Error; at = at.cause) {
      const type = at instanceof ApplicationFailure ? at.type : undefined;
      if (type != null) return { type, message: at.message };
      found = { type: otherwise, message: at.message || found.message };
    }
    return found;
  }

  private converter(): Client['options']['loadedDataConverter'] {
    return this.client.options.loadedDataConverter;
  }
}

/** Converts an event id to a number. */
export function idOf(id: HistoryEvent['eventId']): number {
  return Number(String(id ?? 0));
}

/**
 * Returns the time of an event in microseconds since 1970. This is exact in a number and orders the events of a
 * workflow.
 */
export function microsecondsOf({ eventTime }: HistoryEvent): number {
  return Number(String(eventTime?.seconds ?? 0)) * 1e6 + Math.floor((eventTime?.nanos ?? 0) / 1e3);
}
