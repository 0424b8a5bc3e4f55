import type * as Sdk from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that a request waits for the others, at most. */
const patienceMs = 2_000;
/** Milliseconds for the server to read what was sent last, before the gate opens. */
const settleMs = 10;

/**
 * Lets uploads end at the same moment: each holds back its last byte until all of them have sent the rest. Otherwise a fast
 * server has answered the first before a busy client sends the second, and they never compete.
 */
export class LastByteGate {
  private arrived = 0;
  private open: () => void = () => undefined;
  private readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });

  constructor(private readonly uploads: number) {}

  /** Makes a command wait at the gate. A repeated attempt finds it open. */
  hold(command: Sdk.PutObjectCommand): Sdk.PutObjectCommand {
    command.middlewareStack.add(
      (next) => (args) => {
        // Below everything that signs and measures the body.
        const request = args.request as { body?: unknown };
        if (request.body instanceof Uint8Array) request.body = Readable.from(this.parts(request.body));
        return next(args);
      },
      { step: 'deserialize', priority: 'low', name: 'lastByteGate' },
    );
    return command;
  }

  private async *parts(body: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
    yield body.subarray(0, -1);
    this.arrived += 1;
    if (this.arrived === this.uploads) setTimeout(this.open, settleMs);
    await Promise.race([this.opened, sleep(patienceMs, undefined, { ref: false })]);
    yield body.subarray(-1);
  }
}
