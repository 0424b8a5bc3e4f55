import type { Client } from '@temporalio/client';
import type { ToolCallBlock } from '../../domain/model';
import type { BlobRef, RunStore, SpilledText } from '../../domain/store';
import { TurnJournal } from '../../store/turn-journal';
import { AgentLog, type LogEntry } from '../event/agent-log';
import { Decoder } from '../event/decoder';
import { Histories } from '../event/histories';
import { type EventBody, isoTime } from '../event/record';
import type { CallTexts, PendingEvent } from '../event/translate/step';
import { formatCount } from '../format';
import type { AgentRecord, CallRecord, RecordedStep, TurnRecord } from './agent-record';
import { type KnownLink, linkRef } from './chain-links';

type ToolEvent = Extract<EventBody, { kind: 'tool' }>;
type StartedDelegation = Extract<EventBody, { kind: 'delegation.started' | 'delegation.adopted' }>;
type Answered = Extract<EventBody, { kind: 'agent.answered' }>;

/** What an agent's history records about it. Kept up to date by reading what is new. */
export class HistoryRecord implements AgentRecord {
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

  private constructor(
    private readonly log: AgentLog,
    private readonly store: RunStore,
    options: { onEntry: AgentLogListener },
  ) {
    options.onEntry = ({ turn }) => {
      // Also of turns before a reset, which are copied: the agent continues from there.
      if (turn !== undefined) this.head = linkRef(turn.head);
    };
  }

  /** Opens the record of an agent; undefined when the server does not have its history. */
  static async open(client: Client, store: RunStore, workflowId: string): Promise<HistoryRecord | undefined> {
    const histories = new Histories(client);
    const from = await firstExecution(client, histories, workflowId);
    if (from === undefined) return undefined;
    const listener: { onEntry: AgentLogListener } = { onEntry: () => undefined };
    const log = new AgentLog(
      { workflowId, executionId: from, eventId: 0, count: 0 },
      {
        decoder: new Decoder(client),
        histories,
        isRoot: true,
        onEntry: (draft) => {
          listener.onEntry(draft);
        },
      },
    );
    const record = new HistoryRecord(log, store, listener);
    await record.readOn();
    return record;
  }

  /** Whether the agent was retried after its end. */
  async isOutdated(client: Client): Promise<boolean> {
    const { workflowId, executionId } = this.log.position();
    const { runId } = await client.workflow.getHandle(workflowId).describe();
    return runId !== executionId;
  }

  get hasEnded(): boolean {
    return this.log.state === 'ended';
  }

  /** Reads what is new. */
  async refresh(): Promise<void> {
    await this.log.refresh();
    await this.readOn();
  }

  /** Waits until something is new, at most until the deadline, in milliseconds since 1970. */
  async wait(deadline: number): Promise<void> {
    if (this.hasEnded) return;
    await this.log.poll(deadline);
    await this.readOn();
  }

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

  private async readOn(): Promise<void> {
    do {
      await this.log.catchUp();
      for (let entry = this.log.take(); entry !== undefined; entry = this.log.take()) this.note(entry);
    } while (this.log.state === 'behind');
  }

  private note({ body, time, turn, texts = {} }: LogEntry): void {
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

/** Returns the first execution of an agent whose history the server has. It deletes them some time after they closed. */
async function firstExecution(client: Client, histories: Histories, workflowId: string): Promise<string | undefined> {
  const latest = await histories.firstEvent({ workflowId });
  const executionId = latest?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? undefined;
  if (executionId === undefined) return undefined;
  const isThere = (await histories.firstEvent({ workflowId, executionId })) !== undefined;
  return isThere ? executionId : (await client.workflow.getHandle(workflowId).describe()).runId;
}

type AgentLogListener = (draft: PendingEvent) => void;

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
