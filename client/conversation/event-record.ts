import type { ToolCallBlock } from '../../domain/model';
import type { BlobRef, RunStore, SpilledText } from '../../domain/store';
import { TurnJournal } from '../../store/turn-journal';
import type { ToldEntry } from '../event/packed-entries';
import { type EventBody, isoTime } from '../event/record';
import type { CallTexts } from '../event/translate/step';
import { formatCount } from '../format';
import type { AgentRecord, CallRecord, RecordedStep, TurnRecord } from './agent-record';
import { type KnownLink, linkRef } from './chain-links';

type ToolEvent = Extract<EventBody, { kind: 'tool' }>;
type StartedDelegation = Extract<EventBody, { kind: 'delegation.started' | 'delegation.adopted' }>;
type Answered = Extract<EventBody, { kind: 'agent.answered' }>;

/** What the events of an agent tell about it. Pass every event exactly once, in order. */
export abstract class EventRecord implements AgentRecord {
  head: BlobRef | undefined;
  version = 0;
  readonly handoffs: { readonly at: string; readonly text: string }[] = [];
  startedAt: string | null = null;
  private readonly happened: RecordedStep[] = [];
  private readonly turns = new Map<string, TurnRecord>();
  private readonly calls = new Map<string, { readonly event: ToolEvent; readonly texts: CallTexts }>();
  private readonly delegations = new Map<string, Map<number, string>>();
  /** Hash of the link of the last turn, which tool calls belong to. */
  private lastTurn = '';

  constructor(private readonly store: RunStore) {}

  abstract get hasEnded(): boolean;

  steps(): readonly RecordedStep[] {
    return this.happened;
  }

  turn({ ref }: KnownLink): TurnRecord | undefined {
    return this.turns.get(ref.hash);
  }

  async call({ ref }: KnownLink, { id: callId }: ToolCallBlock): Promise<CallRecord | undefined> {
    const key = keyOf(ref.hash, callId);
    const ended = this.calls.get(key);
    const delegations = inOrder(this.delegations.get(key));
    if (ended === undefined) return { startedAt: null, tookMs: null, delegations };
    const { startedAt, ms, isError } = ended.event;
    const content = await this.resultOf(callId, ended.texts);
    return { startedAt, tookMs: ms, delegations, result: content && { content, isError } };
  }

  private async resultOf(callId: string, { result }: CallTexts): Promise<SpilledText | undefined> {
    if (result === undefined || !('identity' in result)) return result;
    const { identity, head } = result;
    const record = await new TurnJournal(this.store, { identity, head: head.hash }).find();
    return record?.ran.find(({ result: { outcome } }) => outcome.callId === callId)?.result.outcome.content;
  }

  /** Takes an event into account. */
  note({ body, time, turn, texts = {} }: ToldEntry): void {
    const at = isoTime(time);
    this.version += 1;
    switch (body.kind) {
      case 'agent.started':
        this.startedAt ??= at;
        return;
      case 'turn': {
        if (turn === undefined) return;
        const { startedAt, ms, attempts = 1 } = body;
        this.lastTurn = turn.head.hash;
        this.turns.set(turn.head.hash, { startedAt, at, tookMs: ms, attempts });
        this.happened.push({ kind: 'turn', head: linkRef(turn.head) });
        return;
      }
      case 'tool':
        this.calls.set(keyOf(this.lastTurn, body.callId), { event: body, texts });
        return;
      case 'delegation.started':
      case 'delegation.adopted':
        this.noteDelegation(body);
        return;
      case 'agent.reset':
        this.happened.push({ kind: 'reset', at, text: `Reset${body.reason === '' ? '' : `: ${body.reason}`}.` });
        return;
      case 'agent.answered':
        this.happened.push({ kind: 'decision', at, text: decisionText(body) });
        return;
      case 'agent.handedOver':
        this.handoffs[body.handoff - 1] = { at, text: handoffText(body.handoff, body.artifact, body.artifactTokens) };
        return;
      default:
    }
  }

  private noteDelegation({ callId, delegationId, index }: StartedDelegation): void {
    if (callId === null) return;
    const key = keyOf(this.lastTurn, callId);
    const known = this.delegations.get(key) ?? new Map<number, string>();
    this.delegations.set(key, known.set(index, delegationId));
  }
}

/** Delegations start in any order. */
function inOrder(delegations: ReadonlyMap<number, string> = new Map()): readonly string[] {
  return [...delegations].sort(([a], [b]) => a - b).map(([, delegationId]) => delegationId);
}

function keyOf(link: string, callId: string): string {
  return `${link} ${callId}`;
}

/** Describes an operator's decision in one sentence. */
export function decisionText({
  incident,
  action,
  by,
  note,
  edited,
  answer,
}: Pick<Answered, 'incident' | 'action' | 'by' | 'note' | 'edited' | 'answer'>): string {
  const who = by === '' ? 'An operator' : by;
  const with_ = answer !== undefined ? `: ${answer}` : edited !== undefined ? ` with other arguments: ${edited}` : '';
  return `${who} decided "${action}" about incident ${incident}${with_}${note === '' ? '' : ` (${note})`}`;
}

/** Describes a handoff in one sentence. */
export function handoffText(number: number, artifact: string, tokens: number): string {
  return `Handoff ${number}: the conversation continues from ${artifact}, about ${formatCount(tokens)} tokens.`;
}
