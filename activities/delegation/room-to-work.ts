import { Context } from '@temporalio/activity';
import { type AgentSettings, maxPromptBytes, type OpenedAgent } from '../../domain/agent';
import { estimateCall } from '../../domain/budget';
import { handoffThreshold, maxOpeningTokens } from '../../domain/handoff';
import { estimateTokens } from '../../domain/kernel';
import { toMessages } from '../../domain/model';
import { largestPart, PromptError } from '../../domain/prompt';
import type { RunStore } from '../../domain/store';
import { getPromptRecord } from '../../store/prompts';
import { Transcripts } from '../../store/transcript/transcripts';
import { countOrEstimate } from '../agent/request-reply';
import type { SharedDependencies } from '../dependencies';
import { withinTime } from '../within-time';

type Dependencies = Pick<SharedDependencies, 'model' | 'briefings' | 'transcriptCache'>;

/** Settings that decide how large an agent's prompt may be. */
type SizeSettings = Pick<AgentSettings, 'model' | 'handoff' | 'limits'>;

/** Maximum time for counting tokens; the activity itself may take a minute. */
const countTimeoutMs = 20_000;

/**
 * Throws a `PromptError` if an agent's prompt exceeds `maxPromptBytes`, or if the prompt and its tools leave too little
 * room below the handoff threshold to work in. Counts as a model call does: by an upper bound and, if that is too much, by
 * the provider's own count.
 */
export async function requireRoomToWork(
  dependencies: Dependencies,
  store: RunStore,
  opened: OpenedAgent,
  settings: SizeSettings,
): Promise<void> {
  const { prompt, toolList } = opened;
  const bytes = maxPromptBytes(settings.limits);
  if (prompt.bytes > bytes) {
    const limit = `the ${bytes} bytes that limits.maxPromptBytes allows`;
    throw await tooLarge(
      store,
      opened,
      `the prompt has ${prompt.bytes} bytes, ${prompt.bytes - bytes} more than ${limit}`,
    );
  }
  const { tokens } = estimateCall({
    promptBytes: prompt.bytes,
    toolBytes: toolList.bytes,
    conversationTokens: 0,
    maxTokens: 0,
    price: undefined,
  });
  const limit = maxOpeningTokens(settings);
  if (tokens <= limit) return;
  const counted = await countTokens(dependencies, store, opened, settings, tokens);
  if (counted <= limit) return;
  const room = `the ${limit} that leave room to work below the handoff threshold of ${handoffThreshold(settings)}`;
  throw await tooLarge(store, opened, `prompt and tools have ${counted} tokens, ${counted - limit} more than ${room}`);
}

async function countTokens(
  { model, briefings, transcriptCache }: Dependencies,
  store: RunStore,
  { prompt, toolList, opening }: OpenedAgent,
  settings: SizeSettings,
  estimate: number,
): Promise<number> {
  const [briefing, begun] = await Promise.all([
    briefings.load(store, { prompt, tools: toolList }),
    new Transcripts(store, transcriptCache).load(opening),
  ]);
  const { cancellationSignal } = Context.current();
  const request = { settings: settings.model, ...briefing, messages: toMessages(begun.entries, settings.model) };
  return withinTime(cancellationSignal, countTimeoutMs, (timely) =>
    countOrEstimate(model, request, { estimate, signal: cancellationSignal, timely }),
  );
}

async function tooLarge(store: RunStore, { prompt, toolList }: OpenedAgent, reason: string): Promise<PromptError> {
  const { sections } = await getPromptRecord(store, prompt, 'size of a prompt');
  const tools = { field: 'tooling', name: 'the definitions of the tools', bytes: toolList.bytes };
  const inPrompt = largestPart(sections, prompt.bytes);
  const largest = inPrompt.bytes < tools.bytes ? tools : inPrompt;
  const size = `${largest.bytes} bytes, about ${estimateTokens(largest.bytes)} tokens`;
  return new PromptError(
    'Prompt.TooLarge',
    largest.field,
    `${reason}. The largest part is ${largest.name} (${size})`,
    remedyFor(largest.field),
  );
}

/** Only what the caller wrote can be made shorter. */
function remedyFor(field: string): string {
  const isWritten = /^(?:delegation\.|input$)/.test(field);
  return isWritten
    ? 'Make that part shorter, for example by naming an artifact instead of quoting it, or do the work yourself.'
    : 'Choose another way to delegate, or do the work yourself. Whoever starts the run can allow larger prompts.';
}
