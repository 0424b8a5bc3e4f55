import { z } from 'zod';
import { checkValue } from '../../domain/kernel';
import { inputProblem, unreadablePart } from '../../domain/model';
import type { ModelAnswer } from '../dependencies';
import { fromApiBlock, fromApiStopReason } from './anthropic-blocks';
import { MalformedResponseError } from './provider-failure';
import { toUsage, usageFields } from './read-usage';
import { isStorable, parsedOrText } from './tool-input-text';

type Block = { type: string } & Record<string, unknown>;

/** A content block while it is streamed. Texts are collected in pieces, because there may be very many. */
interface OpenBlock {
  readonly start: Block;
  readonly text: string[];
  readonly json: string[];
  readonly citations: unknown[];
  signature: string | undefined;
  /** Whether the provider has sent its end. */
  isWhole: boolean;
}

const block = z.looseObject({ type: z.string().min(1).max(100) });
const index = z.int().nonnegative().max(100_000);
const startSchema = z.object({ message: z.looseObject({ model: z.unknown(), usage: usageFields }) });
const blockStartSchema = z.object({ index, content_block: block });
const blockDeltaSchema = z.object({ index, delta: z.looseObject({ type: z.string() }) });
const blockStopSchema = z.object({ index });
const endSchema = z.object({ delta: z.looseObject({ stop_reason: z.unknown() }), usage: usageFields });
const wholeSchema = z.looseObject({
  content: z.array(block),
  model: z.unknown(),
  stop_reason: z.unknown(),
  usage: usageFields,
});

/**
 * Builds a model's answer from the events of a stream. The SDK has a class for this, but it reads incomplete JSON of a
 * tool call as if it were complete, and throws a whole answer away if its token counts are missing.
 */
export class MessageAssembler {
  private readonly blocks = new Map<number, OpenBlock>();
  private model: unknown;
  private stopReason: unknown;
  private usage: Record<string, unknown> = {};
  private isStarted = false;
  /** Whether the last event has arrived. */
  isComplete = false;

  /** Adds an event. Events of unknown types are ignored, because the API adds new ones. */
  add(event: { readonly type?: unknown }): void {
    if (event.type === 'message_start') this.start(parse(startSchema, event));
    else if (event.type === 'content_block_start') this.open(parse(blockStartSchema, event));
    else if (event.type === 'content_block_delta') this.extend(parse(blockDeltaSchema, event));
    else if (event.type === 'content_block_stop') this.close(parse(blockStopSchema, event));
    else if (event.type === 'message_delta') this.end(parse(endSchema, event));
    else if (event.type === 'message_stop') this.isComplete = true;
  }

  /** Returns the answer. Throws if the stream ended before the model had stopped. */
  finish(): ModelAnswer {
    const hasStopped = this.isComplete || typeof this.stopReason === 'string';
    if (!this.isStarted || !hasStopped) throw new MalformedResponseError('it ended early');
    const inOrder = [...this.blocks].sort(([a], [b]) => a - b);
    return toAnswer({
      content: inOrder.map(([, opened]) => closed(opened)),
      model: this.model,
      stop_reason: this.stopReason,
      usage: this.usage,
    });
  }

  private start({ message }: z.infer<typeof startSchema>): void {
    if (this.isStarted) throw new MalformedResponseError('it contains a second message');
    this.isStarted = true;
    this.model = message.model;
    this.usage = { ...message.usage };
  }

  private open({ index: at, content_block: start }: z.infer<typeof blockStartSchema>): void {
    if (this.blocks.has(at)) throw new MalformedResponseError('it contains a block twice');
    this.blocks.set(at, { start, text: [], json: [], citations: [], signature: undefined, isWhole: false });
  }

  private extend({ index: at, delta }: z.infer<typeof blockDeltaSchema>): void {
    const opened = this.blocks.get(at);
    if (opened === undefined) throw new MalformedResponseError('it continues a block that it did not start');
    const { text, thinking, partial_json: json, signature, citation } = delta;
    if (delta.type === 'text_delta') opened.text.push(asText(text));
    else if (delta.type === 'thinking_delta') opened.text.push(asText(thinking));
    else if (delta.type === 'input_json_delta') opened.json.push(asText(json));
    else if (delta.type === 'signature_delta') opened.signature = asText(signature);
    else if (delta.type === 'citations_delta') opened.citations.push(citation);
  }

  private close({ index: at }: z.infer<typeof blockStopSchema>): void {
    const opened = this.blocks.get(at);
    if (opened !== undefined) opened.isWhole = true;
  }

  private end({ delta, usage }: z.infer<typeof endSchema>): void {
    this.stopReason = delta.stop_reason;
    // The counts are totals of the whole message, and those that don't apply are omitted.
    for (const [name, count] of Object.entries(usage ?? {})) if (count !== null) this.usage[name] = count;
  }
}

/** Reads an answer that was sent as one JSON document, as some proxies do. */
export function wholeMessage(body: unknown): ModelAnswer {
  const message = parse(wholeSchema, body);
  return toAnswer({ ...message, content: message.content.map((each) => readable(each, each['input'])) });
}

function toAnswer({ content, model, stop_reason: stopReason, usage }: z.infer<typeof wholeSchema>): ModelAnswer {
  return {
    content: content.flatMap(fromApiBlock),
    stopReason: fromApiStopReason(stopReason),
    usage: toUsage(usage ?? {}),
    model: typeof model === 'string' ? model.slice(0, maxNameLength) : 'unknown',
  };
}

const maxNameLength = 200;

function closed({ start, text, json, citations, signature, isWhole }: OpenBlock): Block {
  const cited = citations.length === 0 ? {} : { citations };
  if (start.type === 'text') return readable({ ...start, ...cited, text: joined(start['text'], text) });
  if (start.type === 'thinking') {
    const signed = signature === undefined ? {} : { signature };
    return readable({ ...start, ...signed, thinking: joined(start['thinking'], text) });
  }
  const written = json.join('');
  if (written.trim() !== '') return readable(start, parsedOrText(written));
  if (start.type !== 'tool_use') return readable(start, start['input']);
  // The input of a tool without parameters is sent as no text at all, and so is one that was cut off at its start.
  const { input = {} } = start;
  return readable(start, isWhole ? input : '');
}

/**
 * Checks that a block can be stored. Only text and the input of a tool call may contain anything: whoever judges the
 * reply deals with it. An input that JSON cannot represent is passed on as text, which no tool accepts.
 */
function readable(given: Block, input?: unknown): Block {
  const { text: _text, input: _input, ...rest } = given;
  const problem = unreadablePart(rest);
  if (problem !== undefined) throw new MalformedResponseError(`a content block has ${problem}`);
  if (given.type === 'tool_use') return { ...given, input: isStorable(input) ? input : '(unreadable)' };
  return input === undefined ? given : { ...given, input: inputProblem(input) === undefined ? input : {} };
}

function joined(start: unknown, pieces: readonly string[]): string {
  return `${asText(start)}${pieces.join('')}`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = checkValue(schema, value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new MalformedResponseError(`${issue?.path.join('.') ?? 'a part'} is not what the API sends`);
}
