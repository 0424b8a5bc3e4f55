import { defaultPayloadConverter } from '@temporalio/common';
import { z } from 'zod';
import { jsonDigest } from '../../../../domain/kernel';
import {
  applyDelta,
  type ApplyReply,
  type ApplyRequest,
  applyRequests,
  applyTurn,
  builtInSlices,
  type ChangeVerdict,
  createSessionSchema,
  defineSlice,
  emptySession,
  eventHandler,
  type HostState,
  type RecentVersions,
  type RequestedChange,
  type Session,
  unpackReplies,
} from '../../../../domain/session';

const tickSchema = z.strictObject({ number: z.int() });
/** Unlike notes, equal records are kept, so anything applied twice is visible. */
export const ticksSlice = defineSlice({
  name: 'ticks',
  record: tickSchema,
  conflict: 'append',
  on: { ticked: (ticks, tick) => [...ticks, tick] },
});

const claimSchema = z.strictObject({ task: z.string(), owner: z.string(), revision: z.int() });
type Claim = z.infer<typeof claimSchema>;
export const claimsSlice = defineSlice({
  name: 'claims',
  record: claimSchema,
  conflict: 'compareAndSet',
  compare: { key: ({ task }) => task, token: ({ revision }) => String(revision) },
  on: {
    claimed: eventHandler(
      z.strictObject({ task: z.string(), owner: z.string(), seen: z.int().nullable() }),
      (claims: readonly Claim[], { task, owner, seen }) => [
        ...claims.filter((claim) => claim.task !== task),
        { task, owner, revision: (seen ?? 0) + 1 },
      ],
      ({ task, seen }) => ({ key: task, token: seen === null ? null : String(seen) }),
    ),
  },
});

const faultySlice = defineSlice({
  name: 'faulty',
  record: z.strictObject({ why: z.string() }),
  conflict: 'lastWrite',
  on: {
    exploded: () => {
      throw new TypeError('a mistake of its author');
    },
  },
});

const schema = createSessionSchema([...builtInSlices, ticksSlice, claimsSlice, faultySlice]);
export const start = emptySession(schema);

export const wantedEvent = (type: string, value: Readonly<Record<string, unknown>>): RequestedChange => ({
  tool: 'a_tool',
  callId: 'call',
  isError: false,
  changes: [],
  events: [{ type, value: value as never }],
});

export function requestOf(
  part: Omit<ApplyRequest, 'digest' | 'turn' | 'resent'> & { readonly resent?: boolean },
): ApplyRequest {
  return { resent: false, ...part, turn: 1, digest: jsonDigest(part.wanted) };
}

/** The writer's copy of the session after a reply. */
export function followed(copy: Session, reply: ApplyReply): Session {
  if (!reply.ok) throw new Error(`refused: ${reply.reason}`);
  return 'whole' in reply.update ? reply.update.whole : applyDelta(copy, reply.update.delta);
}

function asPayload<T>(value: T): T {
  return defaultPayloadConverter.fromPayload(defaultPayloadConverter.toPayload(value));
}

/** The code under test, with every value passing through payloads as on a server. */
export class TestHost {
  state: HostState = { session: start, writers: {} };
  private remembered: RecentVersions = [];

  apply(request: ApplyRequest): ApplyReply {
    return this.applyAll([request])[0]!;
  }

  /** Applies several requests that arrive in one Update. */
  applyAll(requests: readonly ApplyRequest[]): ApplyReply[] {
    const step = applyRequests(schema, this.state, this.remembered, asPayload(requests));
    this.state = step.state;
    this.remembered = step.remembered;
    return unpackReplies(asPayload(step.replies));
  }

  continueAsNew(): void {
    this.state = asPayload(this.state);
    this.remembered = [];
  }
}

export type Expected = 'applied' | 'repeated' | 'staleEpoch' | 'gap' | 'otherRequest';

/** A simple model of a shared session that remembers every request and every execution. */
export class PlainSession {
  session = start;
  private readonly known = new Map<string, { digest: string; verdicts: readonly ChangeVerdict[] }>();
  private readonly current = new Map<string, { epoch: string; seq: number }>();

  /** @param generationOf returns the number of an epoch among the executions of its writer; the host has to determine it itself */
  constructor(private readonly generationOf: (epoch: string) => number) {}

  expect({ writer, epoch, seq, digest }: ApplyRequest): Expected {
    const at = this.current.get(writer);
    if (at === undefined) return 'applied';
    if (at.epoch !== epoch) return this.generationOf(epoch) < this.generationOf(at.epoch) ? 'staleEpoch' : 'applied';
    // The host only knows that requests older than the last one existed, not what they were.
    if (seq < at.seq) return 'repeated';
    if (seq > at.seq) return seq === at.seq + 1 ? 'applied' : 'gap';
    return this.known.get(`${epoch}:${seq}`)?.digest === digest ? 'repeated' : 'otherRequest';
  }

  apply({ writer, epoch, seq, digest, wanted, turn }: ApplyRequest): readonly ChangeVerdict[] {
    const { session, verdicts } = applyTurn(schema, this.session, wanted, turn);
    this.session = session;
    this.current.set(writer, { epoch, seq });
    this.known.set(`${epoch}:${seq}`, { digest, verdicts });
    return verdicts;
  }

  verdictsOf({ epoch, seq }: ApplyRequest): readonly ChangeVerdict[] {
    return this.known.get(`${epoch}:${seq}`)?.verdicts ?? [];
  }

  isLatest({ writer, epoch, seq }: ApplyRequest): boolean {
    const at = this.current.get(writer);
    return at?.epoch === epoch && at.seq === seq;
  }
}
