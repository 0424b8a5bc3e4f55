import { sourcesIn } from './sources';

// What a provider calls things stays in its adapter. Everything else uses the neutral blocks and stop reasons of
// domain/model/blocks.ts, so that a conversation can continue with another provider.

/** Words of provider formats that nothing else is named by. */
const words = [
  // The Messages API
  'tool_use',
  'tool_result',
  'tool_use_id',
  'is_error',
  'end_turn',
  'pause_turn',
  'max_tokens',
  'stop_sequence',
  'stop_sequences',
  'model_context_window_exceeded',
  'redacted_thinking',
  'server_tool_use',
  'cache_control',
  'input_schema',
  'tool_choice',
  'output_config',
  'input_tokens',
  'cache_read_input_tokens',
  // Chat Completions
  'tool_calls',
  'tool_call_id',
  'finish_reason',
  'prompt_tokens',
  'completion_tokens',
];
/** Attributes of traces have names of their own: `baton.tool_call_id`, and those of the GenAI conventions. */
const pattern = new RegExp(`(?<!\\b(?:baton|gen_ai)\\.[a-z_.]*)\\b(?:${words.join('|')})\\b`, 'g');

/** Adapters, the scripted models, which speak the formats as providers do, and the conventions for traces. */
const speakers = [
  /^temporal-config\/gen-ai\.ts$/,
  /^activities\/model\//,
  /^testing\/scripted-model\//,
  /^bench\/models\//,
  /^bench\/peers\/systems\//,
];
const folders = [
  'activities',
  'bench',
  'cli',
  'client',
  'definitions',
  'domain',
  'encryption',
  'examples',
  'store',
  'temporal-config',
  'testing',
  'worker',
  'workflows',
];

test('words of provider formats occur in adapters only', () => {
  const found = sourcesIn(folders)
    .filter(({ path }) => !speakers.some((speaker) => speaker.test(path)))
    .flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([word]) => `${path}: ${word}`));
  expect(found).toEqual([]);
});

test('the words are found where they belong', () => {
  const adapters = sourcesIn(['activities/model', 'testing/scripted-model']).map(({ text }) => text);
  expect(adapters.join('\n').match(pattern)).toEqual(expect.arrayContaining(['tool_use', 'end_turn', 'max_tokens']));
});
