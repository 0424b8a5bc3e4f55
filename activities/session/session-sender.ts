import type { Client } from '@temporalio/client';
import { createHash } from 'node:crypto';
import type { InputOf } from '../../domain/kernel';
import {
  type ApplyReply,
  type ApplyRequest,
  applyTurnsContract,
  type PackedReplies,
  unpackReplies,
} from '../../domain/session';
import { measurePayload } from '../../store/blobs';

/** Maximum requests, and maximum bytes, in one Update. */
const maxRequests = 64;
const maxBytes = 512 * 1024;

interface Waiting {
  readonly request: ApplyRequest;
  readonly bytes: number;
  resolve(reply: ApplyReply): void;
  reject(error: unknown): void;
}

/** Thrown when the caller of `apply` stopped waiting. */
export class RequestWithdrawnError extends Error {}

/**
 * Combines the requests that many agents of this worker send to one shared session into few Updates. The server accepts
 * ten at a time and two thousand in total per execution, and makes the eleventh caller wait for seconds.
 */
export class SessionSender {
  private readonly queues = new Map<string, Waiting[]>();
  private readonly sending = new Set<string>();

  constructor(private readonly client: Client) {}

  /**
   * Queues a request to a host and resolves with the host's reply. When the signal is aborted, rejects with a
   * `RequestWithdrawnError`, and withdraws the request unless it is on its way: the host may be busy, or without a worker, for a long time.
   */
  async apply(host: string, request: ApplyRequest, signal?: AbortSignal): Promise<ApplyReply> {
    let withdraw = (): void => undefined;
    const reply = new Promise<ApplyReply>((resolve, reject) => {
      const queue = this.queues.get(host) ?? [];
      const waiting = { request, bytes: measurePayload(request), resolve, reject };
      queue.push(waiting);
      this.queues.set(host, queue);
      if (!this.sending.has(host)) void this.drain(host, queue);
      withdraw = () => {
        const place = queue.indexOf(waiting);
        if (place >= 0) queue.splice(place, 1);
        reject(new RequestWithdrawnError('The caller stopped waiting for the host of the shared session'));
      };
    });
    if (signal?.aborted === true) withdraw();
    signal?.addEventListener('abort', withdraw, { once: true });
    // Otherwise the signal, which may live longer, would hold the request and everything around it.
    return reply.finally(() => signal?.removeEventListener('abort', withdraw));
  }

  /** Sends one Update at a time per host. Requests that arrive in the meantime are sent with the next one. */
  private async drain(host: string, queue: Waiting[]): Promise<void> {
    this.sending.add(host);
    // Wait for the end of the event loop's turn, so that simultaneous requests are sent together.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) await this.send(host, take(queue));
    this.sending.delete(host);
    this.queues.delete(host);
  }

  private async send(host: string, batch: readonly Waiting[]): Promise<void> {
    const requests = batch.map(({ request }) => request);
    try {
      const packed = await this.client.workflow
        .getHandle(host)
        .executeUpdate<PackedReplies, [InputOf<typeof applyTurnsContract>]>(applyTurnsContract.name, {
          args: [{ requests }],
          updateId: idOf(requests),
        });
      const replies = unpackReplies(packed);
      batch.forEach(({ resolve, reject }, index) => {
        const reply = replies[index];
        if (reply === undefined) reject(new Error(`The host ${host} returned no reply to a request`));
        else resolve(reply);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

function take(queue: Waiting[]): Waiting[] {
  let bytes = 0;
  let count = 0;
  for (const { bytes: size } of queue) {
    if (count > 0 && (count >= maxRequests || bytes + size > maxBytes)) break;
    bytes += size;
    count += 1;
  }
  return queue.splice(0, count);
}

/** Derives the Update's id from its requests, so that the server executes a repeated Update once. */
function idOf(requests: readonly ApplyRequest[]): string {
  const hash = createHash('sha256');
  for (const { writer, epoch, seq, resent } of requests) hash.update(`${writer}:${epoch}:${seq}:${resent}\n`);
  return hash.digest('hex').slice(0, 32);
}
