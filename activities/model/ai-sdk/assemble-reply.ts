import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolCall,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider';
import type { Json } from '../../../domain/kernel';
import { isToolCall, type ReplyBlock, type StopReason } from '../../../domain/model';
import type { ModelAnswer } from '../../dependencies';
import { MalformedResponseError } from '../provider-failure';
import { parsedOrText } from '../tool-input-text';
import { toUsage } from './usage';

/** A part of a reply while it is streamed. Texts are collected in pieces, because there may be very many. */
interface OpenPart {
  readonly kind: 'text' | 'reasoning' | 'tool';
  readonly id: string;
  readonly pieces: string[];
  name: string;
  metadata: SharedV3ProviderMetadata | undefined;
  /** The complete input of a tool call; undefined until the provider has sent it. */
  input: string | undefined;
}

/** A part that has no neutral meaning, as the provider sent it. */
interface OpaquePart {
  readonly kind: 'opaque';
  readonly data: Json;
}

type Finish = Extract<LanguageModelV3StreamPart, { type: 'finish' }>;

/** What the reply answers. */
interface Answered {
  /** Marks provider data. */
  readonly provider: string;
  /** Name of the model, as requested. */
  readonly model: string;
  /** Stop sequences of the request. */
  readonly stops: readonly string[];
  /** Maximum length of the reply. */
  readonly maxBytes: number;
}

/** Builds a model's answer from the parts of a stream. */
export class ReplyAssembler {
  private readonly parts: (OpenPart | OpaquePart)[] = [];
  private readonly open = new Map<string, OpenPart>();
  private finished: Finish | undefined;
  private model: string;
  private size = 0;

  constructor(private readonly answered: Answered) {
    this.model = answered.model;
  }

  /** Adds a part. Parts of unknown types are ignored, because the interface adds new ones. */
  add(part: LanguageModelV3StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
      case 'tool-input-start':
        this.start(kindOf(part.type), part.id, part);
        return;
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        this.extend(kindOf(part.type), part.id, part);
        return;
      case 'text-end':
      case 'reasoning-end':
        this.end(kindOf(part.type), part.id, part.providerMetadata);
        return;
      case 'tool-call':
        this.call(part);
        return;
      case 'file':
      case 'tool-result':
      case 'tool-approval-request':
        this.parts.push({ kind: 'opaque', data: toJson(part) });
        return;
      case 'response-metadata':
        if (typeof part.modelId === 'string' && part.modelId !== '') this.model = part.modelId.slice(0, maxNameLength);
        return;
      case 'finish':
        this.finished = part;
        return;
      default:
        return;
    }
  }

  /** Returns the answer. Throws if the stream ended before the model had stopped. */
  finish(): ModelAnswer {
    const { finished } = this;
    if (finished === undefined || finished.finishReason.unified === 'error')
      throw new MalformedResponseError('it ended early');
    const content = this.parts.map((part) => toBlock(part, this.answered.provider));
    return {
      content,
      stopReason: stopReasonOf(finished.finishReason, content, this.answered.stops),
      usage: toUsage(finished.usage),
      model: this.model,
    };
  }

  /** A provider may use an id again once its part has ended. */
  private start(kind: OpenPart['kind'], id: string, given: StartFields): OpenPart {
    const name = given.toolName ?? '';
    const part: OpenPart = { kind, id, pieces: [], name, metadata: given.providerMetadata, input: undefined };
    this.parts.push(part);
    this.open.set(keyOf(kind, id), part);
    return part;
  }

  private extend(kind: OpenPart['kind'], id: string, given: StartFields & { readonly delta: string }): void {
    const part = this.open.get(keyOf(kind, id)) ?? this.start(kind, id, given);
    const piece = asText(given.delta);
    this.grow(piece.length);
    part.pieces.push(piece);
    part.metadata = given.providerMetadata ?? part.metadata;
  }

  private end(kind: OpenPart['kind'], id: string, metadata: SharedV3ProviderMetadata | undefined): void {
    const part = this.open.get(keyOf(kind, id));
    if (part === undefined) return;
    part.metadata = metadata ?? part.metadata;
    this.open.delete(keyOf(kind, id));
  }

  /** A call that the provider itself has made is not run. It is kept, and sent back. */
  private call(call: LanguageModelV3ToolCall): void {
    const key = keyOf('tool', call.toolCallId);
    const streamed = this.open.get(key);
    this.open.delete(key);
    if (call.providerExecuted === true) {
      if (streamed !== undefined) this.parts.splice(this.parts.indexOf(streamed), 1);
      this.parts.push({ kind: 'opaque', data: toJson(call) });
      return;
    }
    const part = streamed ?? this.start('tool', call.toolCallId, call);
    this.open.delete(key);
    const input: unknown = call.input;
    part.input = typeof input === 'string' ? input : JSON.stringify(input ?? {});
    if (streamed === undefined) this.grow(part.input.length);
    part.name = call.toolName;
    part.metadata = call.providerMetadata ?? part.metadata;
  }

  private grow(by: number): void {
    this.size += by;
    const { maxBytes } = this.answered;
    if (this.size > maxBytes) throw new MalformedResponseError(`it is longer than ${maxBytes} bytes`);
  }
}

interface StartFields {
  readonly toolName?: string;
  readonly providerMetadata?: SharedV3ProviderMetadata;
}

const maxNameLength = 200;

function kindOf(type: string): OpenPart['kind'] {
  return type.startsWith('text') ? 'text' : type.startsWith('reasoning') ? 'reasoning' : 'tool';
}

function keyOf(kind: OpenPart['kind'], id: string): string {
  return `${kind}:${id}`;
}

function toBlock(part: OpenPart | OpaquePart, provider: string): ReplyBlock {
  if (part.kind === 'opaque') return { type: 'opaque', provider: { name: provider, data: part.data } };
  const text = part.pieces.join('');
  const own = part.metadata === undefined ? {} : { provider: { name: provider, data: toJson(part.metadata) } };
  if (part.kind === 'text') return { type: 'text', text, ...own };
  // Marked also without data: only the provider that wrote it receives it again.
  if (part.kind === 'reasoning') return { type: 'thinking', text, provider: { name: provider, data: {} }, ...own };
  return { type: 'toolCall', id: part.id, name: part.name, input: inputOf(part, text), ...own };
}

/** The input of a tool without parameters may be no text at all. One that was cut off stays a text, and is never run. */
function inputOf({ input }: OpenPart, streamed: string): Json {
  if (input === undefined) return streamed;
  return input.trim() === '' ? {} : (parsedOrText(input) as Json);
}

/** Copies plain data. Bytes of a file become base64, as the interface accepts them too. */
function toJson(value: object): Json {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    inner instanceof Uint8Array ? Buffer.from(inner).toString('base64') : inner,
  );
  return JSON.parse(text) as Json;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const stopReasons: Readonly<Record<LanguageModelV3FinishReason['unified'], StopReason>> = {
  stop: 'done',
  length: 'outputLimit',
  'content-filter': 'refused',
  'tool-calls': 'toolCalls',
  error: 'other',
  other: 'other',
};

/** Reasons that some providers report and for which the interface has no name. */
const rawReasons: Readonly<Record<string, StopReason>> = {
  stop_sequence: 'stopSequence',
  model_context_window_exceeded: 'contextExceeded',
  refusal: 'refused',
  pause_turn: 'paused',
};

function stopReasonOf(
  { unified, raw = '' }: LanguageModelV3FinishReason,
  content: readonly ReplyBlock[],
  stops: readonly string[],
): StopReason {
  const known = (Object.hasOwn(rawReasons, raw) ? rawReasons[raw] : undefined) ?? stopReasons[unified];
  return known === 'done' && isCutAt(content, stops) ? 'stopSequence' : known;
}

/**
 * Whether a reply was cut off at a stop sequence. Most providers report that as a natural end. The sequences are end
 * tags, so a cut reply has an element that is not closed, or a tool call that is not complete.
 */
function isCutAt(content: readonly ReplyBlock[], stops: readonly string[]): boolean {
  if (stops.length === 0) return false;
  if (content.some((block) => isToolCall(block) && typeof block.input === 'string')) return true;
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return stops.some((stop) => !text.includes(stop) && text.includes(stop.replace('</', '<')));
}
