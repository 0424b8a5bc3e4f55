import fc from 'fast-check';
import {
  type AgentLimits,
  defaultLimits,
  type OpenedAgent,
  passAgent,
  passedAgentSchema,
  passedLimitsSchema,
  passLimits,
  receiveAgent,
  receiveLimits,
} from '../../../domain/agent';

const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
const ref = (usual: string): fc.Arbitrary<OpenedAgent['prompt']> =>
  fc.record({ hash, bytes: fc.nat(), mediaType: fc.oneof(fc.constant(usual), fc.constant('text/plain')) });
const json = ref('application/json');
const toolName = fc.oneof(fc.stringMatching(/^[\w-]{1,64}$/), fc.constantFrom('constructor', 'read file', 'a<b', 'c!'));
const sliceName = fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,9}$/);

const tools = fc.uniqueArray(toolName, { maxLength: 8 }).chain((names) =>
  fc.record({
    names: fc.constant(names),
    once: fc.subarray(names),
    reads: fc
      .subarray(names)
      .chain((reading) =>
        fc
          .tuple(
            ...reading.map((name) => fc.tuple(fc.constant(name), fc.array(sliceName, { minLength: 1, maxLength: 3 }))),
          )
          .map((entries) => Object.fromEntries(entries)),
      ),
  }),
);

const opened = fc.record(
  {
    storeId: fc.string(),
    prompt: ref('text/markdown'),
    tools,
    toolList: json,
    prompts: json,
    opening: json,
    searchAttributes: fc.boolean(),
    skills: json,
    output: json,
    skill: fc.string(),
  },
  { requiredKeys: ['storeId', 'prompt', 'tools', 'toolList', 'prompts', 'opening', 'searchAttributes'] },
);

describe('an agent that is passed to its own workflow', () => {
  test('is received as it was opened', () => {
    fc.assert(
      fc.property(opened, (agent) => {
        const passed = passedAgentSchema.parse(JSON.parse(JSON.stringify(passAgent(agent))));
        expect(receiveAgent(passed)).toEqual(agent);
      }),
    );
  });

  test('takes less than 600 bytes with the usual tools, because every child has it in two histories', () => {
    const some = (mediaType: string): OpenedAgent['prompt'] => ({ hash: 'f'.repeat(64), bytes: 12_345, mediaType });
    const names =
      'list_files read_file grep write_file edit_file write_artifact read_artifact add_plan_steps update_plan_step add_note';
    const passed = passAgent({
      storeId: '01a1e9bc-545c-7897-b241-1232167d9c9f',
      prompt: some('text/markdown'),
      tools: { names: names.split(' '), once: [], reads: { read_artifact: ['artifacts'] } },
      toolList: some('application/json'),
      prompts: some('application/json'),
      opening: some('application/json'),
      searchAttributes: true,
    });
    expect(passed.tools).toBe(names.replace('read_artifact', 'read_artifact<artifacts'));
    expect(JSON.stringify(passed).length).toBeLessThan(600);
  });
});

describe('limits that are passed to a delegation', () => {
  const { maxPromptBytes: _bytes, maxRepeats: _repeats, maxToolTokens: _tokens, ...required } = defaultLimits;
  const all: AgentLimits[] = [defaultLimits, required, { ...required, maxRepeats: 0 }, { ...required, maxDepth: 0 }];

  test.each(all)('are received as they are: %j', (limits) => {
    const passed = passedLimitsSchema.parse(JSON.parse(JSON.stringify(passLimits(limits))));
    expect(receiveLimits(passed)).toEqual(limits);
  });

  test('may have their names, as earlier versions passed them', () => {
    expect(receiveLimits(passedLimitsSchema.parse(defaultLimits))).toEqual(defaultLimits);
  });

  test('are checked', () => {
    expect(passedLimitsSchema.safeParse([0, 3, 1_000, 32, null, null, null]).success).toBe(false);
  });
});
