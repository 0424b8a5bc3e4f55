import { applyTurn, type TurnVerdict } from '../agent/apply-turn';
import { changesSince, type Session, type SessionSchema } from '../session';
import type { ApplyReply, ApplyRequest, SessionUpdate } from './protocol';

interface WriterState {
  readonly epoch: string;
  readonly seq: number;
  /** Identifies the last request, to tell its repetition from another one. */
  readonly digest: string;
  readonly verdicts: readonly TurnVerdict[];
  /** Executions that are over. */
  readonly fenced: readonly string[];
}

/** Everything the host of a shared session remembers; plain JSON, of a size that depends on the writers only. */
export interface HostState {
  readonly session: Session;
  readonly writers: Readonly<Record<string, WriterState>>;
}

/** Versions that replies can be relative to; not part of the state, since a whole session does as well. */
export type Remembered = readonly Session[];

export const rememberedVersions = 128;

export interface HostStep {
  readonly state: HostState;
  readonly remembered: Remembered;
  readonly reply: ApplyReply;
}

/**
 * Applies one request exactly once per execution of its writer: a repetition gets the verdicts of the first time and
 * changes nothing. The order of calls is the total order of the session.
 */
export function applyRequest(
  schema: SessionSchema,
  state: HostState,
  remembered: Remembered,
  request: ApplyRequest,
): HostStep {
  const writer = Object.hasOwn(state.writers, request.writer) ? state.writers[request.writer] : undefined;
  const unchanged = (reply: ApplyReply): HostStep => ({ state, remembered, reply });
  const again = (verdicts: readonly TurnVerdict[]): HostStep =>
    unchanged(replyTo(state.session, remembered, request, verdicts));
  switch (standing(writer, request)) {
    case 'repeated':
      return again(writer?.verdicts ?? []);
    case 'forgotten':
      return again(request.wanted.map(() => forgotten));
    case 'stale':
      return unchanged({ ok: false, reason: 'staleEpoch' });
    case 'gap':
      return unchanged({ ok: false, reason: 'gap' });
    case 'other':
      return unchanged({ ok: false, reason: 'otherRequest' });
    case 'new': {
      const { session, verdicts } = applyTurn(schema, state.session, request.wanted, request.turn);
      const versions = [...remembered, state.session].slice(-rememberedVersions);
      const next = { session, writers: { ...state.writers, [request.writer]: wrote(writer, request, verdicts) } };
      return { state: next, remembered: versions, reply: replyTo(session, versions, request, verdicts) };
    }
  }
}

type Standing = 'new' | 'repeated' | 'forgotten' | 'stale' | 'gap' | 'other';

function standing(writer: WriterState | undefined, { epoch, seq, digest }: ApplyRequest): Standing {
  if (writer === undefined) return 'new';
  if (writer.fenced.includes(epoch)) return 'stale';
  // An execution that was not heard of takes over, wherever it starts to count.
  if (writer.epoch !== epoch) return 'new';
  if (seq === writer.seq) return digest === writer.digest ? 'repeated' : 'other';
  if (seq < writer.seq) return 'forgotten';
  return seq === writer.seq + 1 ? 'new' : 'gap';
}

/** An agent that was reset to the middle of an older request: it was carried out, but only the last verdicts are kept. */
const forgotten: TurnVerdict = {
  remark: 'This was handed in before the agent was reset, and may have been refused: look before you rely on it.',
};

const keptFences = 20;

function wrote(
  before: WriterState | undefined,
  { epoch, seq, digest }: ApplyRequest,
  verdicts: readonly TurnVerdict[],
): WriterState {
  const fenced =
    before === undefined || before.epoch === epoch ? (before?.fenced ?? []) : [...before.fenced, before.epoch];
  return { epoch, seq, digest, verdicts, fenced: fenced.slice(-keptFences) };
}

function replyTo(
  session: Session,
  remembered: Remembered,
  { since }: ApplyRequest,
  verdicts: readonly TurnVerdict[],
): ApplyReply {
  const delta = changesSince(remembered, session, since);
  const update: SessionUpdate = delta === undefined ? { whole: session } : { delta };
  return { ok: true, version: session.version, verdicts, update };
}
