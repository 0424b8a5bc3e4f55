import type { ApplicationFailure } from '@temporalio/common';
import { FairQueue, Gate, type ModelLimit, type ProviderReport } from '../../domain/limit';
import { spread } from '../spread-retry';
import { modelFailure } from './provider-failure';

/** A request that asks to be sent. */
export interface GateRequest {
  /** Those with the same key share their turns. */
  readonly key: string;
  /** Estimated tokens of the prompt, and the maximum of the reply. */
  readonly promptTokens: number;
  readonly maxReplyTokens: number;
  readonly signal: AbortSignal;
  /** Called when it has to wait, and again with undefined when it may be sent. */
  readonly onWait: (text: string | undefined) => void;
}

/** Permission to send one request. */
export interface Pass {
  /** Call it when the request has ended, with its tokens if they are known. */
  leave(used?: { readonly prompt: number; readonly reply: number }): void;
}

interface Waiting {
  readonly tokens: number;
  readonly admit: () => void;
}

/** Longest wait inside an activity, in milliseconds. A longer one would occupy a slot; the server waits instead. */
const maxInsideMs = 5_000;

/** The gate in front of one limit of a provider, for all activities of a worker. */
export class CallGate {
  private readonly gate: Gate;
  private readonly queue = new FairQueue<Waiting>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly name: string,
    limit: ModelLimit,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.gate = new Gate(limit, now());
  }

  /** Waits until a request may be sent. Throws `Model.AtLimit` if that takes long, and when `signal` is aborted. */
  async pass(request: GateRequest): Promise<Pass> {
    const tokens = this.gate.estimate(request.promptTokens, request.maxReplyTokens);
    const others = this.queue.items;
    if (others.length > 0 || this.gate.wait(tokens, this.now()) > 0) {
      const ahead = others.reduce((sum, item) => sum + item.tokens, 0);
      const expectedMs = this.gate.expectedWait(others.length + 1, ahead + tokens, this.now());
      if (expectedMs > maxInsideMs) throw this.atLimit(expectedMs);
      await this.turnOf(request, tokens);
    } else {
      this.gate.enter(tokens, this.now());
    }
    let isInside = true;
    return {
      leave: (used) => {
        if (!isInside) return;
        isInside = false;
        this.gate.leave(tokens, used, this.now());
        this.admitWaiting();
      },
    };
  }

  /** Sets how many workers share the limit of requests, this one included. */
  shareAmong(workers: number): void {
    this.gate.shareAmong(workers, this.now());
    this.admitWaiting();
  }

  /** Lowers what is allowed to what the provider says. */
  told(report: ProviderReport): void {
    this.gate.told(report, this.now());
    this.admitWaiting();
  }

  private async turnOf({ key, signal, onWait }: GateRequest, tokens: number): Promise<void> {
    onWait(`the provider's rate limit (${this.name})`);
    try {
      await new Promise<void>((resolve, reject) => {
        const end = (): void => {
          clearTimeout(late);
          signal.removeEventListener('abort', abort);
        };
        const admit = (): void => {
          end();
          resolve();
        };
        const waiting: Waiting = { tokens, admit };
        const giveUp = (error: Error): void => {
          end();
          this.queue.remove(key, waiting);
          this.admitWaiting();
          reject(error);
        };
        const abort = (): void => {
          giveUp(new DOMException('The call was aborted', 'AbortError'));
        };
        const late = setTimeout(() => {
          giveUp(this.atLimit(maxInsideMs));
        }, maxInsideMs);
        signal.addEventListener('abort', abort, { once: true });
        this.queue.add(key, waiting);
        if (signal.aborted) abort();
        else this.admitWaiting();
      });
    } finally {
      onWait(undefined);
    }
  }

  /** Admits all requests that may be sent, and looks again when the next one may be. */
  private admitWaiting(): void {
    clearTimeout(this.timer);
    for (let next = this.queue.first; next !== undefined; next = this.queue.first) {
      const ms = this.gate.wait(next.tokens, this.now());
      if (ms > 0) {
        // Without an end, another request has to leave first.
        if (ms < Infinity)
          this.timer = setTimeout(() => {
            this.admitWaiting();
          }, ms);
        return;
      }
      this.queue.removeFirst();
      this.gate.enter(next.tokens, this.now());
      next.admit();
    }
  }

  /** The server waits until the attempt is repeated, so that waiting occupies no slot. It counts as no failure. */
  private atLimit(expectedMs: number): ApplicationFailure {
    return modelFailure('Model.AtLimit', `Waiting for the provider's rate limit (${this.name}).`, {
      delayMs: spread(Math.max(1_000, expectedMs)),
    });
  }
}
