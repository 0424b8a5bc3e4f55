import { requestedChange, type RunTurnInput, type Turn } from '../../domain/agent';
import { type RequestedChange, splitIntoRequests } from '../../domain/session';
import { maxPayloadBytes } from '../../domain/store';
import { measurePayload } from '../../store/blobs';
import type { TurnRecord } from '../../store/turn-journal';
import { runStoreFor, type SharedDependencies } from '../dependencies';
import { sendRequest, toApplied } from './apply-session';

/**
 * Sends what the calls of a turn want changed to the host of the agent's shared session, and adds its reply to the
 * result of the turn. Only if all of them ran inside the turn and fit into one request: otherwise the workflow sends
 * everything, with the number that this request would have had. The record of the
 * turn is made durable first: every attempt at the turn then sends the same under the same number, and the host applies it
 * once.
 */
export async function applyInside(
  dependencies: SharedDependencies,
  input: RunTurnInput,
  record: TurnRecord,
  turn: Turn,
  signal: AbortSignal,
): Promise<Turn> {
  const apply = input.inside?.apply;
  const wanted = record.ran.map(({ tool, result }) => requestedChange({ tool, ...result }));
  if (apply === undefined || record.left.length > 0 || !fitsOneRequest(wanted)) return turn;
  const { host, ...place } = apply;
  await dependencies.flush();
  const started = performance.now();
  const reply = await sendRequest(dependencies, host, { ...place, wanted }, signal).catch((error: unknown) => {
    // The turn itself has to end. Any other error is one that the workflow's own request would run into as well.
    if (signal.aborted) throw error;
    return undefined;
  });
  if (reply === undefined) return { ...turn, unanswered: place.epoch };
  // A refusal is certain. The workflow learns it from its own request, and decides what it means.
  if (!reply.ok) return turn;
  const applyMs = Math.round(performance.now() - started);
  const room = Math.min(maxPayloadBytes / 2, maxPayloadBytes - measurePayload(turn) - roomForRest);
  const applied = await toApplied(runStoreFor(dependencies.store, input), reply, room);
  return { ...withoutEvents(turn), applied, applyMs };
}

/** Bytes of what is neither in the result so far nor in the reply: verdicts next to a ref. */
const roomForRest = 1024;

function fitsOneRequest(wanted: readonly RequestedChange[]): boolean {
  return splitIntoRequests(wanted).length === 1;
}

/** The session has the events now, and its host's history. */
function withoutEvents({ ran = [], ...turn }: Turn): Turn {
  return { ran: ran.map(({ events: _events, ...call }) => call), ...turn };
}
