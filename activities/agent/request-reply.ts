import { log } from '@temporalio/activity';
import type { CallLimits } from '../../domain/agent';
import { type Allowance, estimateCall, shortfallFor, shortfallMessage } from '../../domain/budget';
import { DomainError } from '../../domain/kernel';
import {
  addUsage,
  type CallRefused,
  isToolCall,
  type Judgement,
  judgeReply,
  toMessages,
  type Usage,
  withEstimatedUsage,
} from '../../domain/model';
import { type OutputFormat, restoreStopSequence } from '../../domain/prompt/output';
import type { RunStore } from '../../domain/store';
import { effectiveOpening, type OpeningEntry, type ResolvedEntry } from '../../domain/transcript';
import type { ModelAnswer, ModelPort, ModelRequest, SharedDependencies } from '../dependencies';
import type { AnswerJournal } from './answer-journal';

type Content = ModelAnswer['content'];

/** Thrown when the model's replies to one call can't be used, however often they are requested. */
class BadReplyError extends DomainError {
  readonly type = 'Model.BadReply';

  constructor(reason: string, usage: Usage) {
    super(`${maxUnusable} replies of the model in a row could not be used; the last one: ${reason}`, { reason, usage });
  }
}

/** Maximum unusable replies to one call. After the last, the call fails. */
const maxUnusable = 3;

/** Where replies come from: the journal, if they were paid for already, and otherwise the model. */
export interface ReplySource {
  readonly model: ModelPort;
  readonly journal: AnswerJournal;
  readonly signal: AbortSignal;
  /** Called before every request to the model. Returns what is called with every part of its reply. */
  readonly listen?: () => ModelRequest['onPart'];
}

/**
 * Returns the model's reply to a request, and what all requests that it took have used. Most take one. Another one is
 * made at once if a stop sequence cut a tool call in half, or if the reply can't be used. Every answer is journaled
 * before it is looked at, so an attempt that is repeated here makes only requests that were never answered. `first` is
 * the answer to the first request, if it was found in the journal.
 */
export async function requestReply(
  source: ReplySource,
  request: ModelRequest,
  first: ModelAnswer | undefined,
): Promise<ModelAnswer> {
  let current = request;
  let used: Usage | undefined;
  let unusable = 0;
  for (let number = 0; ; number += 1) {
    const paid = number === 0 ? first : await source.journal.find(number);
    const raw = paid ?? (await ask(source, current, number));
    const answer = withEstimatedUsage(raw, current);
    const total = used === undefined ? answer.usage : addUsage(used, answer.usage);
    const judgement = judge(answer, current);
    if (judgement.verdict === 'clash') {
      const { output: _, ...withoutStops } = current;
      current = withoutStops;
    } else if (judgement.verdict === 'unusable') {
      unusable += 1;
      if (unusable === maxUnusable) throw new BadReplyError(judgement.reason, total);
      log.warn('The reply of the model is not usable; requesting another one', { reason: judgement.reason });
    } else {
      if (judgement.verdict === 'repaired') log.warn('Repaired the reply of the model', { repairs: judgement.repairs });
      return used === undefined ? judgement.answer : { ...judgement.answer, usage: total, lastUsage: answer.usage };
    }
    used = total;
  }
}

/** Builds a request from the whole conversation, with the effective model and tools. */
export async function requestFor(
  { briefings }: Pick<SharedDependencies, 'briefings'>,
  store: RunStore,
  opening: OpeningEntry,
  { entries, closing }: { entries: readonly ResolvedEntry[]; closing: true | undefined },
): Promise<ModelRequest> {
  const { model: settings, ...effective } = effectiveOpening(opening, entries);
  const briefing = await briefings.load(store, effective);
  const { output } = opening;
  return {
    settings,
    ...briefing,
    messages: toMessages(entries, settings),
    // A handoff has its own format.
    ...(closing === true ? { toolChoice: 'none' } : output === undefined ? {} : { output }),
  };
}

/** Sends a request, and journals the answer before anything else is done with it. */
async function ask(
  { model, journal, signal, listen }: ReplySource,
  request: ModelRequest,
  number: number,
): Promise<ModelAnswer> {
  const started = performance.now();
  const onPart = listen?.();
  const answer = await model.reply(onPart === undefined ? request : { ...request, onPart }, signal);
  const ms = performance.now() - started;
  const { usage } = withEstimatedUsage(answer, request);
  const charged = { model: request.settings.name, ...(usage.estimated === true ? { usage } : {}) };
  return journal.keep(number, answer, charged, ms);
}

/** The stop sequence occurred inside a tool call, such as one that writes a file. Half a call is useless. */
interface Clash {
  readonly verdict: 'clash';
}

/**
 * Judges an answer after undoing the effect of a stop sequence. The provider drops the sequence from the end of the
 * reply. It is restored before anything else reads the reply, so that the transcript, later requests and the parser see
 * the complete message.
 */
function judge(answer: ModelAnswer, request: ModelRequest): Judgement<ModelAnswer> | Clash {
  const { output } = request;
  if (output === undefined || answer.stopReason !== 'stopSequence') return judgeReply(answer, request);
  if (answer.content.some(isToolCall)) return { verdict: 'clash' };
  return judgeReply({ ...answer, content: withStop(output, answer.content) }, request);
}

/** Appends the stop sequence to the last text block, or as a new block if there is none. */
function withStop(output: OutputFormat, content: Content): Content {
  const at = content.map(({ type }) => type).lastIndexOf('text');
  if (at < 0) return [...content, { type: 'text', text: restoreStopSequence(output, '') }];
  return content.map((block, index) =>
    index === at && block.type === 'text' ? { ...block, text: restoreStopSequence(output, block.text) } : block,
  );
}

/**
 * Checks a call that might exceed a limit. The provider counts its tokens free of charge. Undefined if it is allowed.
 */
export async function checkCallLimits(
  model: ModelPort,
  request: ModelRequest,
  admission: CallLimits,
  signal: AbortSignal,
): Promise<CallRefused | undefined> {
  const tokens = await countOrEstimate(model, request, { estimate: admission.estimate, signal });
  const { window, budget, price } = admission;
  if (window !== undefined && tokens > window) {
    return { notAsked: 'window', message: `the next call is ${tokens} tokens; the limit is ${window}` };
  }
  return budget === undefined ? undefined : beyond(budget, tokens, request.settings.maxTokens, price);
}

function beyond(
  budget: Allowance,
  tokens: number,
  maxTokens: number,
  price: CallLimits['price'],
): CallRefused | undefined {
  const call = { promptBytes: 0, toolBytes: 0, conversationTokens: tokens, maxTokens, price };
  const lack = shortfallFor(estimateCall(call), budget);
  return lack === undefined ? undefined : { notAsked: 'budget', message: shortfallMessage(lack) };
}

/** How a request's tokens are counted. */
interface Counting {
  /** Upper bound of the tokens. */
  readonly estimate: number;
  /** Aborted when the whole call is. */
  readonly signal: AbortSignal;
  /** Also aborted when counting takes too long. Default: `signal`. */
  readonly timely?: AbortSignal;
}

/** Returns the upper bound for a provider that can't count: that must not stop an agent. */
export async function countOrEstimate(
  model: ModelPort,
  request: ModelRequest,
  { estimate, signal, timely = signal }: Counting,
): Promise<number> {
  if (model.capabilities?.(request.settings.name).countsTokens === false) return estimate;
  try {
    return await model.countTokens(request, timely);
  } catch (error) {
    if (signal.aborted) throw error;
    log.warn('Token count failed; using an estimate', { estimate, error: String(error) });
    return estimate;
  }
}
