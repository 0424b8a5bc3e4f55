import type { CallRecord, RejectedRequest } from '../call-log';
import type { ServerState } from '../state';
import { sendJson } from '../wire/exchange';
import type { Exchange } from '../wire/exchange';

/** What another process may learn about the calls: everything but their content. */
export interface CallReport {
  readonly answered: number;
  readonly calls: readonly Omit<CallRecord, 'request'>[];
  readonly rejected: readonly RejectedRequest[];
}

export function countAnswered(calls: readonly CallRecord[]): number {
  return calls.filter((call) => call.outcome === 'answered').length;
}

/** GET /__calls */
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
