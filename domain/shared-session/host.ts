import { applyTurn, type TurnVerdict } from '../agent/apply-turn';
import type { Session, SessionSchema } from '../session';
import { packReplies, type DatedOutcome, type Outcome, type PackedReplies } from './answers';
import type { ApplyRequest } from './protocol';

interface WriterState {
  readonly epoch: string;
  /** Of the last request. Executions that asked for something earlier are over. */
  readonly at: number;
  readonly seq: number;
  /** Identifies the last request, to tell its repetition from another one. */
  readonly digest: string;
  readonly verdicts: readonly TurnVerdict[];
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
  readonly replies: PackedReplies;
}

/** Applies requests that arrived together, in their order, which is the total order of the session. */
export function applyRequests(
  schema: SessionSchema,
  state: HostState,
  remembered: Remembered,
  requests: readonly ApplyRequest[],
): HostStep {
  let now = state;
  const outcomes = requests.map((request): DatedOutcome => {
    const step = applyRequest(schema, now, request);
    now = step.state;
    return { ...step.outcome, version: now.session.version };
  });
  // Writers only ever have what a reply brought them, and replies bring what is there after the last request.
  const versions = now === state ? remembered : [...remembered, state.session].slice(-rememberedVersions);
  return { state: now, remembered: versions, replies: packReplies(outcomes, versions, now.session) };
}

/** Exactly once per execution of its writer: a repetition gets the verdicts of the first time and changes nothing. */
function applyRequest(
  schema: SessionSchema,
  state: HostState,
  request: ApplyRequest,
): { readonly state: HostState; readonly outcome: Outcome } {
  const { writer: name, since, epoch, at, seq, digest } = request;
  const writer = Object.hasOwn(state.writers, name) ? state.writers[name] : undefined;
  const taken = (verdicts: readonly TurnVerdict[]): Outcome => ({ ok: true, since, verdicts });
  switch (standing(writer, request)) {
    case 'repeated':
      return { state, outcome: taken(writer?.verdicts ?? []) };
    case 'forgotten':
      return { state, outcome: taken(request.wanted.map(() => forgotten)) };
    case 'stale':
      return { state, outcome: { ok: false, reason: 'staleEpoch' } };
    case 'gap':
      return { state, outcome: { ok: false, reason: 'gap' } };
    case 'other':
      return { state, outcome: { ok: false, reason: 'otherRequest' } };
    case 'new': {
      const { session, verdicts } = applyTurn(schema, state.session, request.wanted, request.turn);
      const writers = { ...state.writers, [name]: { epoch, at, seq, digest, verdicts } };
      return { state: { session, writers }, outcome: taken(verdicts) };
    }
  }
}

type Standing = 'new' | 'repeated' | 'forgotten' | 'stale' | 'gap' | 'other';

function standing(writer: WriterState | undefined, { epoch, at, seq, digest, resent }: ApplyRequest): Standing {
  if (writer === undefined) return 'new';
  // A later execution takes over, wherever it starts to count; an earlier one is over, whether or not it ever wrote.
  if (writer.epoch !== epoch && at >= writer.at) return 'new';
  // After two resets to one point: what was under way there has been answered, or the later execution had not gone on.
  if (writer.epoch !== epoch) return resent ? 'forgotten' : 'stale';
  if (seq === writer.seq) return digest === writer.digest ? 'repeated' : 'other';
  if (seq < writer.seq) return 'forgotten';
  return seq === writer.seq + 1 ? 'new' : 'gap';
}

/** An agent that was reset to the middle of an older request: it was carried out, but only the last verdicts are kept. */
const forgotten: TurnVerdict = {
  remark: 'This was handed in before the agent was reset, and may have been refused: look before you rely on it.',
};
