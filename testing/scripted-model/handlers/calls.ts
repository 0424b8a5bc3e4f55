import type { CallRecord, RejectedRequest } from '../call-log';
import type { ServerState } from '../state';
import { sendJson } from '../wire/exchange';
import type { Exchange } from '../wire/exchange';

/** The call log as reported to other processes, without the content of the requests. */
export interface CallReport {
  readonly answered: number;
  readonly calls: readonly Omit<CallRecord, 'request'>[];
  readonly rejected: readonly RejectedRequest[];
}

/** Counts the calls whose reply was sent completely. */
export function countAnswered(calls: readonly CallRecord[]): number {
  return calls.filter((call) => call.outcome === 'answered').length;
}

/** Handles GET /__calls. */
export function reportCalls({ log }: ServerState, exchange: Exchange): void {
  const calls = log.calls.map(({ index, attempt, receivedAt, model, digest, outcome, status, usage }) => ({
    index,
    attempt,
    receivedAt,
    model,
    digest,
    outcome,
    status,
    usage,
  }));
  const report: CallReport = { answered: countAnswered(log.calls), calls, rejected: log.rejected };
  sendJson(exchange, 200, report);
}
