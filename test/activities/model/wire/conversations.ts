import type { OutputFormat } from '../../../../domain/prompt/output';
import type { TurnToTake } from '../../agent/turn-support';
import type { Events } from '../hostile-provider';

/** A block as the provider streams it: its start, and the deltas that complete it. */
interface StreamedBlock {
  readonly start: Readonly<Record<string, unknown>>;
  readonly deltas?: readonly Readonly<Record<string, unknown>>[];
}

const block = (start: Readonly<Record<string, unknown>>): StreamedBlock => ({ start });
const text = (value: string, ...more: readonly Readonly<Record<string, unknown>>[]): StreamedBlock => ({
  start: { type: 'text', text: '' },
  deltas: [{ type: 'text_delta', text: value }, ...more],
});
const thinking = (value: string, signature?: string): StreamedBlock => ({
  start: { type: 'thinking', thinking: '', signature: '' },
  deltas: [
    { type: 'thinking_delta', thinking: value },
    ...(signature === undefined ? [] : [{ type: 'signature_delta', signature }]),
  ],
});
const toolUse = (id: unknown, name: unknown, json: string, more: object = {}): StreamedBlock => ({
  start: { type: 'tool_use', id, name, input: {}, ...more },
  deltas: [{ type: 'input_json_delta', partial_json: json }],
});

/** Events of a reply with these blocks. */
function streamed(stopReason: unknown, ...blocks: readonly StreamedBlock[]): Events {
  const usage = { input_tokens: 90, cache_read_input_tokens: 10, cache_creation_input_tokens: 0 };
  return [
    { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'claude', usage } },
    ...blocks.flatMap(({ start, deltas = [] }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stopReason }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ];
}

/** One model call: what the engine adds to the conversation, and the provider's replies to its requests. */
interface WireTurn extends Partial<Omit<TurnToTake, 'head' | 'identity'>> {
  readonly replies: readonly Events[];
}

/** A conversation, as the engine has it with the provider. */
export interface WireConversation {
  readonly output?: OutputFormat;
  readonly temperature?: number;
  readonly turns: readonly WireTurn[];
}

const ok = (callId: string, content: string) => ({ callId, isError: false, content: { text: content } });
const failed = (callId: string, content: string) => ({ callId, isError: true, content: { text: content } });
const last: WireTurn = { notes: ['Go on.'], replies: [streamed('end_turn', text('Done.'))] };
const citation = { type: 'char_location', cited_text: 'c', document_index: 0 };
const model = { name: 'claude-opus-5-5', maxTokens: 2_000, window: 200_000 };

/** Conversations with everything that a request can contain. */
export const conversations: Readonly<Record<string, WireConversation>> = {
  'thinking, citations and tools of the provider': {
    turns: [
      {
        replies: [
          streamed(
            'tool_use',
            thinking('Hm', 'sig=='),
            block({ type: 'redacted_thinking', data: 'b64/+==' }),
            text('Look: ', { type: 'citations_delta', citation }),
            toolUse('toolu_1', 'read', '{"path":"a.txt","deep":{"z":1,"a":[1.50,2e3]}}'),
          ),
        ],
      },
      {
        outcomes: [ok('toolu_1', 'content of a.txt')],
        replies: [
          streamed(
            'pause_turn',
            { ...block({ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }), deltas: [] },
            block({ type: 'web_search_tool_result', tool_use_id: 's1', content: [{ url: 'u', encrypted: 'e' }] }),
            thinking('Still', 'sig2'),
          ),
        ],
      },
      { replies: [streamed('end_turn', text('Found.'), thinking('', 'sig3'))] },
      last,
    ],
  },
  'parallel tools, with a failed, an empty and a refused one': {
    turns: [
      {
        replies: [
          streamed(
            'tool_use',
            text('Three at once.'),
            toolUse('toolu_1', 'read', '{"path":"a"}', { caller: { type: 'direct' } }),
            toolUse('toolu_2', 'read', ''),
            toolUse('toolu_3', 'write', '{"__proto__":{"a":1},"10":"x","9":"y","é":"ü","text":"\\u2028"}'),
          ),
        ],
      },
      {
        outcomes: [failed('toolu_1', 'No such file.'), ok('toolu_2', ''), failed('toolu_3', '')],
        notes: ['A note of the engine.'],
        steering: ['A note of an operator.'],
        replies: [streamed('end_turn', text('Then I stop.'))],
      },
      last,
    ],
  },
  'replies that the API would not accept back': {
    turns: [
      {
        replies: [
          streamed(
            'tool_use',
            thinking('not signed'),
            text(' \n'),
            text('half \ud800 a character'),
            block({ type: 'tool_result', tool_use_id: 'x', content: 'y' }),
            toolUse('toolu_1', 'write', '{"text":"cut o'),
            toolUse('toolu_1', 'write', '[1]'),
            toolUse('a b', 'no tool', '{"text":"x"}'),
            toolUse(7, null, '{"n":1e999}'),
          ),
        ],
      },
      { replies: [streamed('end_turn'), streamed('tool_use', text('I call it.')), streamed(null, text('Here.'))] },
      last,
    ],
  },
  'replies that were cut off': {
    turns: [
      { replies: [streamed('max_tokens', text('One, two, '))] },
      { notes: ['Continue.'], replies: [streamed('max_tokens', thinking('too long'))] },
      { notes: ['Continue again.'], replies: [streamed('max_tokens', toolUse('toolu_1', 'write', '{"text":"'))] },
      { outcomes: [failed('toolu_1', 'Cut.')], replies: [streamed('refusal')] },
      { notes: ['Please.'], replies: [streamed('something_new', text('Well.'))] },
      last,
    ],
  },
  'blocks that must not have a cache mark': {
    turns: [
      {
        replies: [
          streamed('pause_turn', thinking('Hm', 'sig'), block({ type: 'brand_new', z: 1, a: { y: 1, b: [] } })),
        ],
      },
      { replies: [streamed('pause_turn', text('Text', { type: 'new_delta' }), block({ type: 'brand_new' }))] },
      { replies: [streamed('pause_turn', toolUse('toolu_1', 'read', '{}'), thinking('Hm', 'sig'))] },
      last,
    ],
  },
  'an answer in XML, with stop sequences': {
    output: { xml: { root: 'plan', fields: [{ name: 'goal' }] } },
    turns: [
      {
        replies: [
          streamed('stop_sequence', toolUse('toolu_1', 'write', '{"text":"<a>')),
          streamed('tool_use', toolUse('toolu_1', 'write', '{"text":"<a></response>"}')),
        ],
      },
      {
        outcomes: [ok('toolu_1', 'Written.')],
        replies: [streamed('stop_sequence', text('<response><plan></plan>'))],
      },
      { notes: ['Correct it.'], replies: [streamed('stop_sequence')] },
      { notes: ['Hand over.'], closing: true, replies: [streamed('end_turn', text('Handed over.'))] },
    ],
  },
  'an answer in JSON, with a temperature, counted before': {
    output: {
      json: { type: 'object', properties: { verdict: { type: 'string', minLength: 1 } }, required: ['verdict'] },
    },
    temperature: 0.5,
    turns: [
      { admission: { estimate: 5, window: 1_000_000 }, replies: [streamed('end_turn', text('{"verdict":"pass"}'))] },
      last,
    ],
  },
  'another model of the provider': {
    turns: [
      { replies: [streamed('tool_use', thinking('Hm', 'sig'), toolUse('toolu_1', 'read', '{"b":1,"a":2}'))] },
      { outcomes: [ok('toolu_1', 'ok')], changes: { model }, replies: [streamed('end_turn', text('From another.'))] },
      last,
    ],
  },
};
