import type { HistoryEvent } from './decoder';

/** Bytes that a page should have. A client accepts 4 MiB in one message, unless it was created with a higher limit. */
const targetBytes = 1024 * 1024;
/**
 * The server counts batches, and a batch is everything that one step of a workflow recorded. A batch usually has some
 * hundred bytes, but it can have megabytes. So the first page is small, but holds all of a short delegation.
 */
const firstBatches = 40;
/** The server does not return more. */
const maxBatches = 256;

/** Chooses how many batches of events to request next, so that a page of a history has a bounded size in bytes. */
export class PageSize {
  private batches = firstBatches;

  /** Number of batches to request. */
  get next(): number {
    return this.batches;
  }

  /** Measures a page that is followed by others. */
  measure(events: readonly HistoryEvent[]): void {
    const bytes = approximateBytes(events);
    const fitting = Math.floor((targetBytes * this.batches) / Math.max(bytes, 1));
    // A page says little about the next one, so the size grows slowly and shrinks at once.
    this.batches = Math.max(1, Math.min(fitting, this.batches * 4, maxBatches));
  }
}

/** Adds up texts and payloads, which make up nearly all of a message. Encoding it again would take far longer. */
function approximateBytes(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 4;
  let bytes = 0;
  for (const part of Object.values(value)) bytes += approximateBytes(part);
  return bytes;
}
