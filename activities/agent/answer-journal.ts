import { z } from 'zod';
import type { RunTurnInput } from '../../domain/agent';
import { checkValue, jsonDigest } from '../../domain/kernel';
import { usageSchema } from '../../domain/model';
import { type RunStore, shortRefSchema } from '../../domain/store';
import { parseStored } from '../../store/blobs';
import type { ChargedAnswer } from '../../store/paid-calls';
import { Attempt, callingAgent, unsavedBytes } from '../attempt';
import type { ModelAnswer } from '../dependencies';
import { saveOrLeave } from '../save-or-leave';

/**
 * The answers that were paid for in one model call, by the number of the request: 0 for the first, higher for requests
 * that had to be repeated. An answer is journaled as the model port returned it, before anything is derived from it, so
 * a later attempt at the call never pays for it again.
 */
export class AnswerJournal {
  private readonly prefix: string;
  private elapsed = 0;

  constructor(
    private readonly store: RunStore,
    private readonly call: RunTurnInput,
  ) {
    this.prefix = keyPrefix(call);
  }

  /** Time that the model took for all answers that were found or kept, in milliseconds. */
  get elapsedMs(): number {
    return this.elapsed;
  }

  /** Returns the journaled answer to a request; undefined if there is none. */
  async find(request: number): Promise<ModelAnswer | undefined> {
    const key = this.key(request);
    const journaled = await this.store.find(key);
    const attempt = Attempt.current();
    if (journaled !== undefined) {
      attempt.saved(key);
      return this.parse(key, journaled);
    }
    // An earlier attempt, or an earlier activity, received the answer, but could not journal it.
    const unsaved = attempt.unsaved(key) ?? unsavedBytes(this.call.unsaved, key);
    return unsaved && this.write(key, unsaved);
  }

  /**
   * Journals an answer, what is charged for it, and the milliseconds that it took. If another attempt journaled one
   * first, returns that one.
   */
  async keep(request: number, answer: ModelAnswer, charged: ChargedAnswer, ms = 0): Promise<ModelAnswer> {
    const key = this.key(request);
    // Not canonical JSON, which rejects some values: whatever was paid for is kept.
    const record: AnswerRecord = {
      answer,
      at: new Date().toISOString(),
      agent: callingAgent(),
      head: this.call.head,
      ms: Math.round(ms),
      ...chargedUnlessAsAnswered(answer, { ...charged, ...changedPrices(this.call) }),
    };
    return this.write(key, Buffer.from(JSON.stringify(record)));
  }

  /** Writes a record. If that fails, leaves it to the next attempt, because it has been paid for. */
  private async write(key: string, record: Uint8Array): Promise<ModelAnswer> {
    const winner = await saveOrLeave(
      key,
      () => record,
      () => this.store.putIfAbsent(key, record),
    );
    Attempt.current().saved(key);
    return this.parse(key, winner);
  }

  private key(request: number): string {
    return `${this.prefix}/${request}`;
  }

  private parse(key: string, bytes: Uint8Array): ModelAnswer {
    const { answer, ms = 0 } = parseStored(this.store, key, bytes, recordSchema, 'answer of the model');
    this.elapsed += ms;
    return answer;
  }
}

/**
 * Identifies a call: its place in the execution, and everything that it sends. Outcomes of calls that ran inside the turn
 * before are determined by the place and the head.
 */
function keyPrefix({ identity, head, told = {} }: RunTurnInput): string {
  const { execution, call, try: attempt } = identity;
  // 128 bits are plenty for what one call may send. The key is in every record.
  return `answer/${execution}/${call}/${attempt}/${jsonDigest({ head, told }).slice(0, 32)}`;
}

/** Prices that an operator has set. They are reported with the first call that they apply to. */
function changedPrices({ told }: RunTurnInput): Pick<ChargedAnswer, 'prices'> {
  const prices = told?.changes?.prices;
  return prices === undefined ? {} : { prices };
}

/** Most answers are charged as they say themselves: the model that was asked, the usage that it reports, its usual price. */
function chargedUnlessAsAnswered(answer: ModelAnswer, charged: ChargedAnswer): { readonly charged?: ChargedAnswer } {
  const { model, usage, prices } = charged;
  const isAsAnswered = model === answer.model && usage === undefined && prices === undefined;
  return isAsAnswered ? {} : { charged };
}

const answerShape = z.object({
  content: z.array(z.looseObject({ type: z.string() })),
  stopReason: z.string(),
  usage: usageSchema,
  lastUsage: usageSchema.exactOptional(),
  model: z.string(),
});

/** Only checked, not copied: a copy would lose keys like `__proto__`, and fields that the port added. */
const answerSchema = z.custom<ModelAnswer>((value) => checkValue(answerShape, value).success);
const recordSchema = z.object({
  answer: answerSchema,
  /** Time of the answer, ISO 8601. */
  at: z.string(),
  /** Time that the model took, in milliseconds. */
  ms: z.int().nonnegative().exactOptional(),
  /** Workflow id of the agent, and head of its transcript before the call: what is known if it never ends. */
  agent: z.string().exactOptional(),
  head: shortRefSchema.exactOptional(),
});
interface AnswerRecord extends z.infer<typeof recordSchema> {
  /** Not needed to repeat the call. Readers of the store add it up. */
  readonly charged?: ChargedAnswer;
}
