import type { Failure, Fault, Pace } from '../reply';
import { type EventStream, type Exchange, isGone, openEventStream, pause, sendError, sendJson } from './exchange';
import type { BuiltReply } from './format';

/** Longest delay of a timer, in milliseconds. In practice the client gives up first. */
const longest = 2 ** 31 - 1;

/** An event of both APIs whose data is cut off. */
const garbage = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":\n\n';

/** Records how a call ended. Called before the last byte is sent, so that the log is never behind the client. */
export type Settle = (outcome: 'answered' | 'failed' | 'dropped', status: number | undefined) => void;

/** A fault and the number of events before it. */
interface BreakOff {
  readonly afterEvents: number;
  readonly fault: Fault;
}

/** Sends an error response. */
export async function sendFailure(exchange: Exchange, failure: Failure, settle: Settle): Promise<void> {
  await pause(failure.delayMs ?? 0, exchange.signal);
  if (isGone(exchange)) return;
  settle('failed', failure.status);
  sendError(exchange, failure, failure.headers);
}

/** Sends a reply as one JSON response. A fault that is meant for a stream happens before the first byte. */
export async function sendWhole(exchange: Exchange, plan: SendPlan): Promise<void> {
  const { built, pace, breakOff, settle } = plan;
  await pause(pace.delayMs, exchange.signal);
  if (isGone(exchange)) return;
  if (!breakOff) {
    settle('answered', 200);
    sendJson(exchange, 200, built.whole);
  } else if (breakOff.fault.by === 'error') {
    settle('failed', breakOff.fault.status);
    sendError(exchange, breakOff.fault);
  } else {
    await strike(exchange, breakOff.fault, settle);
  }
}

/** What to send, and how. */
export interface SendPlan {
  readonly built: BuiltReply;
  readonly pace: Required<Pace>;
  readonly breakOff: BreakOff | undefined;
  readonly settle: Settle;
}

/** Sends a reply as a stream of events. */
export async function sendStream(exchange: Exchange, plan: SendPlan): Promise<void> {
  const { pace, breakOff, settle } = plan;
  await pause(pace.delayMs, exchange.signal);
  if (isGone(exchange)) return;
  if (breakOff?.afterEvents === 0 && breakOff.fault.by !== 'error') {
    await strike(exchange, breakOff.fault, settle);
    return;
  }
  const stream = openEventStream(exchange);
  try {
    await sendEvents(exchange, stream, plan);
    if (isGone(exchange)) return;
    if (!breakOff) {
      stream.end();
    } else if (breakOff.fault.by === 'error') {
      settle('failed', 200);
      stream.fail(breakOff.fault);
    } else {
      stream.release();
      await strike(exchange, breakOff.fault, settle);
    }
  } finally {
    stream.release();
  }
}

async function sendEvents(exchange: Exchange, stream: EventStream, plan: SendPlan): Promise<void> {
  const { built, pace, breakOff, settle } = plan;
  let sent = 0;
  for (const { text, isDelta, isLast } of built.events(pace.chunkSize)) {
    if (sent === breakOff?.afterEvents) return;
    if (isDelta) await pause(pace.chunkDelayMs, exchange.signal);
    if (isGone(exchange)) return;
    if (isLast) settle('answered', 200);
    stream.send(text);
    sent += 1;
  }
}

async function strike(
  { response, signal }: Exchange,
  fault: Exclude<Fault, { by: 'error' }>,
  settle: Settle,
): Promise<void> {
  if (fault.by === 'silence') await pause(fault.ms ?? longest, signal);
  if (signal.aborted) return;
  settle('dropped', response.headersSent ? response.statusCode : undefined);
  if (fault.by === 'early-end') response.end();
  else if (fault.by === 'garbage') response.end(garbage);
  else response.destroy();
}
