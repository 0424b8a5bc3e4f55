import { z } from 'zod';
import { canonicalJson } from '../../domain/kernel';
import type { ToolCallBlock } from '../../domain/model';
import type { DecisionRecord } from '../../domain/operator';
import type { BlobRef, RunStore } from '../../domain/store';
import { dispatchSubagentsName } from '../../domain/tool';
import type { RecordedAnswer } from '../../store/run-record';
import { TurnJournal } from '../../store/turn-journal';
import type { StoredAgent } from '../record/stored-run';
import type { AgentRecord, CallRecord, RecordedStep, TurnRecord } from './agent-record';
import type { KnownLink } from './chain-links';
import { decisionText, handoffText } from './event-record';

/** What the run's folder in the store records about an agent, for when the server does not have its history. */
export class StoredRecord implements AgentRecord {
  readonly head: BlobRef;
  readonly version: number;
  readonly startedAt: string;
  readonly hasEnded: boolean;
  readonly handoffs: AgentRecord['handoffs'];
  /** Answers by the hash of the transcript's head before the call, oldest first. */
  private readonly answers = new Map<string, RecordedAnswer[]>();

  constructor(
    private readonly store: RunStore,
    private readonly agent: StoredAgent,
    answers: readonly RecordedAnswer[],
  ) {
    this.head = agent.head;
    this.version = answers.length;
    this.startedAt = agent.preparedAt;
    this.hasEnded = agent.ended !== null;
    const { handoffs = [] } = agent.ended?.record?.snapshot ?? {};
    this.handoffs = handoffs.map(({ at, number, artifact, artifactTokens }) => ({
      at,
      text: handoffText(number, artifact, artifactTokens),
    }));
    for (const answer of answers) {
      const same = this.answers.get(answer.head.hash) ?? [];
      this.answers.set(answer.head.hash, [...same, answer]);
    }
  }

  /** Neither decisions nor turns that were taken back are in the transcript, so they are put in their place by time. */
  steps(chain: readonly KnownLink[]): readonly RecordedStep[] {
    const { decisions = [] } = this.agent.ended?.record?.snapshot ?? {};
    const decided = decisions.map((one) => ({ at: one.at, step: decisionStep(one) }));
    const others = [...decided, ...this.takenBack(chain)].sort((a, b) => (a.at < b.at ? -1 : 1));
    const steps: RecordedStep[] = [];
    const addBefore = (at: string | null): void => {
      const now = others.splice(0, at === null ? others.length : others.filter((other) => other.at < at).length);
      steps.push(...now.map(({ step }) => step));
      // When an operator reset it is not recorded, only that it was.
      if (now.some(({ step }) => step.kind === 'turn')) steps.push({ kind: 'reset', at, text: 'Reset.' });
    };
    chain.forEach((link) => {
      const { at } = this.turn(link) ?? {};
      if (at != null) addBefore(at);
      if (link.index > 0) steps.push({ kind: 'turn', head: link.ref });
    });
    addBefore(null);
    return steps;
  }

  /** The turns that answers continue from and that are not in the transcript any more. */
  private takenBack(chain: readonly KnownLink[]): { readonly at: string; readonly step: RecordedStep }[] {
    const known = new Set(chain.map(({ ref }) => ref.hash));
    const heads = [...this.answers.values()].flat().filter(({ at }) => at >= this.agent.preparedAt);
    return [...heads, ...this.agent.otherEnds].flatMap(({ head, at }) => {
      if (known.has(head.hash)) return [];
      known.add(head.hash);
      return [{ at, step: { kind: 'turn' as const, head } }];
    });
  }

  turn({ prev }: KnownLink): TurnRecord | undefined {
    const last = this.lastAnswer(prev);
    if (last === undefined) return undefined;
    const tookMs = this.requestsOf(prev, last).reduce((sum, { ms = 0 }) => sum + ms, 0);
    const startedAt = new Date(Date.parse(last.at) - tookMs).toISOString();
    return { startedAt, at: last.at, tookMs, attempts: null };
  }

  async call({ ref, prev }: KnownLink, call: ToolCallBlock): Promise<CallRecord | undefined> {
    const answer = this.lastAnswer(prev);
    const delegations = this.delegationsOf(call, answer);
    const unknown = { startedAt: null, tookMs: null, delegations };
    if (answer === undefined) return unknown;
    const record = await new TurnJournal(this.store, { identity: answer.identity, head: ref.hash }).find();
    const ran = record?.ran.find(({ result: { outcome } }) => outcome.callId === call.id);
    if (ran === undefined) return unknown;
    const { content, isError } = ran.result.outcome;
    return { startedAt: answer.at, tookMs: ran.ms, delegations, result: { content, isError } };
  }

  /** The answer that a link ends with. If the call was repeated, the last one counts. */
  private lastAnswer(prev: BlobRef | null): RecordedAnswer | undefined {
    return prev === null ? undefined : this.answers.get(prev.hash)?.at(-1);
  }

  /** All answers to the requests of one call: most take one. */
  private requestsOf(prev: BlobRef | null, last: RecordedAnswer): readonly RecordedAnswer[] {
    const call = callOf(last);
    return (this.answers.get(prev?.hash ?? '') ?? []).filter((answer) => callOf(answer) === call);
  }

  /** Delegations are recorded with the arguments that they were requested with, not with the call. */
  private delegationsOf({ name, input }: ToolCallBlock, answer: RecordedAnswer | undefined): readonly string[] {
    const wanted = new Set(name === dispatchSubagentsName ? itemsOf(input).map(canonicalJson) : [canonicalJson(input)]);
    const next = [...this.answers.values()].flat().find(({ at }) => at > (answer?.at ?? ''))?.at;
    return this.agent.children.flatMap(({ delegation }) => {
      if (delegation === null || !wanted.has(canonicalJson(delegation.request.payload))) return [];
      // A later turn may request an equal delegation again.
      return next === undefined || delegation.request.at < next ? [delegation.delegationId] : [];
    });
  }
}

function decisionStep(decision: DecisionRecord): RecordedStep {
  return { kind: 'decision', at: decision.at, text: decisionText(decision) };
}

/** The key without the number of the request. */
function callOf({ key }: RecordedAnswer): string {
  return key.slice(0, key.lastIndexOf('/'));
}

const batchSchema = z.object({ delegations: z.array(z.unknown()) });

function itemsOf(input: unknown): readonly unknown[] {
  return batchSchema.safeParse(input).data?.delegations ?? [];
}
