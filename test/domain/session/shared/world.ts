import { isDeepStrictEqual } from 'node:util';
import {
  type ApplyReply,
  type ApplyRequest,
  type ChangeVerdict,
  filesSlice,
  recordsOf,
  type RequestedChange,
  type Session,
} from '../../../../domain/session';
import { claimsSlice, followed, PlainSession, requestOf, start, TestHost, ticksSlice, wantedEvent } from './support';

/** Changes that a writer requests, before it is known what it has seen of the session. */
export type Wish =
  | { readonly kind: 'note' | 'step' | 'explode' }
  | { readonly kind: 'stepDone' | 'artifact' | 'claim' | 'file'; readonly which: number; readonly blind: boolean };

type Disturbance = 'again' | 'skip' | 'altered' | 'zombie' | 'late';

export type Step =
  | { readonly kind: 'write'; readonly writer: number; readonly wishes: readonly Wish[]; readonly lost: boolean }
  | { readonly kind: Disturbance; readonly writer: number; readonly pick: number }
  | { readonly kind: 'reset'; readonly writer: number; readonly pick: number; readonly fromZero: boolean }
  | { readonly kind: 'continueAsNew' };

interface Writer {
  readonly name: string;
  epoch: number;
  seq: number;
  copy: Session;
  /** Sent, but never answered. */
  unanswered: ApplyRequest | undefined;
  readonly sent: ApplyRequest[];
  /** Requests that an execution made before it was reset, but that were not sent. */
  readonly held: ApplyRequest[];
  readonly copies: Session[];
}

/** Several writers, a host and the simple model; every step compares them. */
export class World {
  readonly host = new TestHost();
  readonly plain = new PlainSession((epoch) => Number(epoch.split('.')[1]));
  /** The ticks of all accepted requests, in the order of the host. */
  readonly accepted: number[] = [];
  private ticks = 0;
  /** The server's clock. It advances with requests and resets, but sometimes not between two requests. */
  private now = 0;
  private readonly writers: Writer[];

  constructor(count: number) {
    this.writers = Array.from({ length: count }, (_, index) => ({
      name: `w${index}`,
      epoch: 0,
      seq: 0,
      copy: start,
      unanswered: undefined,
      sent: [],
      held: [],
      copies: [start],
    }));
  }

  take(step: Step): void {
    if (step.kind === 'continueAsNew') {
      this.host.continueAsNew();
      return;
    }
    const writer = this.writers[step.writer % this.writers.length]!;
    if (step.kind === 'write') this.write(writer, step.wishes, step.lost);
    else if (step.kind === 'reset') this.reset(writer, step.pick, step.fromZero);
    else this.disturb(writer, step.kind, step.pick);
  }

  /** Retries every activity until it is answered. After that, anything lost was lost by the host. */
  settle(): void {
    for (const writer of this.writers) if (writer.unanswered !== undefined) this.write(writer, [], false);
  }

  private write(writer: Writer, wishes: readonly Wish[], lost: boolean): void {
    const request = writer.unanswered ?? this.next(writer, wishes);
    const reply = this.send(request);
    if (lost) {
      writer.unanswered = request;
      return;
    }
    writer.unanswered = undefined;
    writer.copy = followed(writer.copy, reply);
    writer.copies.push(writer.copy);
    this.checkCopy(writer.copy, request);
  }

  private next(writer: Writer, wishes: readonly Wish[]): ApplyRequest {
    const request = this.request(writer, [
      wantedEvent('ticked', { number: this.ticks++ }),
      ...wishes.map((wish, index) => wantedBy(wish, writer.copy, `${writer.name}-${this.ticks}-${index}`)),
    ]);
    writer.seq += 1;
    writer.sent.push(request);
    return request;
  }

  private request(writer: Writer, wanted: readonly RequestedChange[]): ApplyRequest {
    const { name, seq, copy } = writer;
    this.now += seq % 2;
    return requestOf({ writer: name, epoch: epochOf(writer), at: this.now, seq, since: copy.version, wanted });
  }

  /** Resets a writer to an earlier state. Requests in progress may still be sent by the old execution. */
  private reset(writer: Writer, pick: number, fromZero: boolean): void {
    writer.held.push(this.request(writer, [wantedEvent('ticked', { number: this.ticks++ })]));
    writer.epoch += 1;
    this.now += 1;
    if (fromZero) writer.seq = 0;
    writer.unanswered = undefined;
    writer.copy = writer.copies[pick % writer.copies.length]!;
  }

  private disturb(writer: Writer, kind: Disturbance, pick: number): void {
    const old = writer.sent[pick % Math.max(1, writer.sent.length)];
    const held = writer.held[pick % Math.max(1, writer.held.length)];
    if (kind === 'late') {
      if (held !== undefined) this.send(held);
    } else if (kind === 'skip') {
      // Only for executions that the host knows; others may start with any number.
      if (writer.unanswered === undefined && writer.sent.at(-1)?.epoch === epochOf(writer))
        this.send(this.request({ ...writer, seq: writer.seq + 1 }, [wantedEvent('ticked', { number: -1 })]));
    } else if (old !== undefined && kind === 'again') this.send(old);
    else if (old !== undefined && kind === 'altered')
      this.send(requestOf({ ...old, wanted: [wantedEvent('ticked', { number: -2 })] }));
    else if (old !== undefined && kind === 'zombie' && old.epoch !== epochOf(writer))
      this.send(requestOf({ ...old, seq: old.seq + 1, wanted: [wantedEvent('ticked', { number: this.ticks++ })] }));
  }

  private send(request: ApplyRequest): ApplyReply {
    const expected = this.plain.expect(request);
    const before = this.host.state;
    const version = this.plain.session.version;
    const seen = this.plain.session;
    const latest = this.plain.isLatest(request);
    const reply = this.host.apply(request);
    if (expected === 'applied') {
      const verdicts = this.plain.apply(request);
      this.accepted.push(...ticksOf(request));
      checkLosers(request, seen, verdicts);
      expect(reply).toMatchObject({ ok: true, version: this.plain.session.version, verdicts });
      expect(this.plain.session.version).toBeGreaterThan(version);
    } else {
      expect(this.host.state).toBe(before);
      if (expected === 'repeated') {
        expect(reply).toMatchObject({ ok: true, version });
        const verdicts = latest
          ? this.plain.verdictsOf(request)
          : request.wanted.map(() => ({ remark: expect.stringContaining('Check before you rely on it') as unknown }));
        expect(reply).toMatchObject({ verdicts });
      } else expect(reply).toEqual({ ok: false, reason: expected });
    }
    expect(isDeepStrictEqual(this.host.state.session, this.plain.session)).toBe(true);
    return reply;
  }

  /** Checks that a copy built from replies equals the session of the host, and contains what its owner wrote. */
  private checkCopy(copy: Session, request: ApplyRequest): void {
    expect(isDeepStrictEqual(copy, this.plain.session)).toBe(true);
    const numbers = recordsOf(copy, ticksSlice).map(({ number }) => number);
    expect(numbers).toEqual(expect.arrayContaining(ticksOf(request)));
  }
}

function epochOf({ name, epoch }: Writer): string {
  return `${name}.${epoch}`;
}

function wantedBy(wish: Wish, copy: Session, id: string): RequestedChange {
  switch (wish.kind) {
    case 'note':
      return wantedEvent('noteAdded', { text: id, by: id });
    case 'step':
      return wantedEvent('planStepsAdded', { steps: [{ title: id }] });
    case 'explode':
      return wantedEvent('exploded', { why: id });
    case 'stepDone':
      return wantedEvent('planStepChanged', { id: `S00${wish.which + 1}`, status: 'done', note: id });
    case 'artifact': {
      const ref = { hash: hashOf(id), bytes: 1, mediaType: 'text/plain' };
      return wantedEvent('artifactWritten', { name: `a${wish.which}`, ref, by: id });
    }
    case 'claim': {
      const task = `t${wish.which}`;
      const seen = recordsOf(copy, claimsSlice).find((claim) => claim.task === task)?.revision ?? null;
      return wantedEvent('claimed', { task, owner: id, seen: wish.blind ? null : seen });
    }
    case 'file': {
      const path = `f${wish.which}`;
      const seen = recordsOf(copy, filesSlice).find((file) => file.path === path)?.hash ?? null;
      const change = { path, expectedHash: wish.blind ? null : seen, newHash: hashOf(id), bytes: 1 };
      return { tool: 'write_file', callId: id, isError: false, changes: [change], events: [] };
    }
  }
}

/** Checks that only losing writers are sent the current file, by comparing with the records, one change at a time. */
function checkLosers({ wanted }: ApplyRequest, session: Session, verdicts: readonly ChangeVerdict[]): void {
  const files = new Map(recordsOf(session, filesSlice).map(({ path, hash }) => [path, hash]));
  const claims = new Map(recordsOf(session, claimsSlice).map((claim) => [claim.task, claim]));
  wanted.forEach(({ changes, events }, index) => {
    const { complaint } = verdicts[index]!;
    for (const { path, expectedHash, newHash } of changes) {
      const now = files.get(path);
      if (now === undefined || now === expectedHash) {
        files.set(path, newHash);
        expect(complaint).toBeUndefined();
      } else expect(complaint).toContain(`its hash is now ${now}`);
    }
    for (const { type, value } of events) {
      if (type === 'exploded') expect(complaint).toMatch(/^Session\.ReducerFailed: .*a mistake of its author/);
      if (type !== 'claimed') continue;
      const { task, owner, seen } = value as { task: string; owner: string; seen: number | null };
      const now = claims.get(task);
      if ((now?.revision ?? null) === seen) {
        claims.set(task, { task, owner, revision: (seen ?? 0) + 1 });
        expect(complaint).toBeUndefined();
      } else expect(complaint).toMatch(new RegExp(`^Session\\.Conflict: .*"owner":"${now?.owner ?? ''}"`));
    }
  });
}

function ticksOf({ wanted }: ApplyRequest): number[] {
  return wanted
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === 'ticked')
    .map(({ value }) => (value as { number: number }).number);
}

function hashOf(text: string): string {
  return Buffer.from(text).toString('hex').padEnd(64, '0').slice(0, 64);
}
