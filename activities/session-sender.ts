import { createHash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { unpackReplies, type PackedReplies } from '../domain/shared-session/answers';
import type { ApplyReply, ApplyRequest } from '../domain/shared-session/protocol';
import { measurePayload } from '../store/spill';

/** Name of the Update that a session's host takes; the same word as in workflows/messages.ts. */
const applyTurns = 'applyTurns';

const maxRequests = 64;
const maxBytes = 512 * 1024;

interface Waiting {
  readonly request: ApplyRequest;
  readonly bytes: number;
  resolve(reply: ApplyReply): void;
  reject(error: unknown): void;
}

/**
 * Fewer than the ten that the server takes, since other workers send too. More than one: what comes in while one is under
 * way would wait for its answer first, and then for its own.
 */
const updatesUnderWay = Number(process.env['UPD'] ?? 3);

interface Queue {
  readonly waiting: Waiting[];
  underWay: number;
}

/**
 * Sends what many agents of this worker want changed in one shared session as few Updates: the server takes ten at a time
 * and two thousand in all of one execution, and makes the eleventh caller wait for seconds. An agent has one request at a
 * time under way, so its own stay in their order.
 */
export class SessionSender {
  private readonly queues = new Map<string, Queue>();

  constructor(private readonly client: Client) {}

  apply(host: string, request: ApplyRequest): Promise<ApplyReply> {
    return new Promise((resolve, reject) => {
      const queue = this.queues.get(host) ?? { waiting: [], underWay: 0 };
      this.queues.set(host, queue);
      queue.waiting.push({ request, bytes: measurePayload(request), resolve, reject });
      // Requests that arrive in the same moment should go together.
      if (queue.waiting.length === 1) setImmediate(() => this.drain(host, queue));
    });
  }

  private drain(host: string, queue: Queue): void {
    while (queue.waiting.length > 0 && queue.underWay < updatesUnderWay) {
      queue.underWay += 1;
      void this.send(host, take(queue.waiting)).then(() => {
        queue.underWay -= 1;
        this.drain(host, queue);
      });
    }
    if (queue.underWay === 0) this.queues.delete(host);
  }

  private async send(host: string, batch: readonly Waiting[]): Promise<void> {
    const requests = batch.map(({ request }) => request);
    try {
      const packed = await this.client.workflow
        .getHandle(host)
        .executeUpdate<PackedReplies, [{ requests: readonly ApplyRequest[] }]>(applyTurns, {
          args: [{ requests }],
          updateId: idOf(requests),
        });
      const replies = unpackReplies(packed);
      batch.forEach(({ resolve, reject }, index) => {
        const reply = replies[index];
        if (reply === undefined) reject(new Error(`The session ${host} left a request unanswered`));
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

/** The same requests make the same Update, which the server then carries out once. */
function idOf(requests: readonly ApplyRequest[]): string {
  const hash = createHash('sha256');
  for (const { writer, epoch, seq, resent } of requests) hash.update(`${writer}:${epoch}:${seq}:${resent}\n`);
  return hash.digest('hex').slice(0, 32);
}
