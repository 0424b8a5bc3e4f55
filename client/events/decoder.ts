import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import type { Failure } from './record';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
export type Payloads = temporal.api.common.v1.IPayloads | null | undefined;
type ProtoFailure = temporal.api.failure.v1.IFailure | null | undefined;

/** Reads what stands in history events, with the client's own converter and codecs. */
export class Decoder {
  constructor(private readonly client: Client) {}

  /** Of one object in, one object out. Anyone may start a workflow with anything, so what is no object becomes one. */
  async object<T extends object>(payloads: Payloads): Promise<T> {
    const [value] = await decodeArrayFromPayloads(this.converter(), payloads?.payloads ?? []);
    return Object(value) as T;
  }

  /** The line that workflow code gave a timer or a child for people to read. */
  async summary({ userMetadata }: HistoryEvent): Promise<string | undefined> {
    if (!userMetadata?.summary) return undefined;
    const [value] = await decodeArrayFromPayloads(this.converter(), [userMetadata.summary]);
    return typeof value === 'string' ? value : undefined;
  }

  /** The innermost failure that has a type: those around it are wrappers. */
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

export function idOf(id: HistoryEvent['eventId']): number {
  return Number(String(id ?? 0));
}

/** Microseconds since 1970: exact in a number, and finer than two events of a workflow ever are. */
export function microsecondsOf({ eventTime }: HistoryEvent): number {
  return Number(String(eventTime?.seconds ?? 0)) * 1e6 + Math.floor((eventTime?.nanos ?? 0) / 1e3);
}
