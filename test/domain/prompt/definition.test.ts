import fc from 'fast-check';
import { z } from 'zod';
import {
  agentPrompt,
  builtinPrompts,
  createRegistry,
  definePrompt,
  parseDefinition,
  PromptError,
  renderPrompt,
  unboundParameters,
  withPromptDefaults,
  withSections,
} from '../../../domain/prompt';
import { sectionHash, type SectionOverride } from '../../../domain/prompt/definition/override';
import { subagentPrompt } from '../../../domain/prompt/definition/registry';
import { bytesOf, parentPrompt, reviewer, sha256, textOf } from './samples';

const greeting = definePrompt({
  ns: 'test',
  key: 'greeting',
  description: 'Greets.',
  parameters: z.object({
    name: z.string().describe('Whom to greet'),
    times: z.number().int().default(2).describe('How often'),
    note: z.string().optional(),
  }),
  sections: [
    {
      key: 'main',
      title: 'Greeting',
      template: 'Greet ${name}, ${times} times. Literal: $${name}. ${note}',
      tools: ['wave', 'shout'],
      acceptsOverrides: true,
      children: [{ key: 'end', title: 'End', template: 'Say goodbye to ${name}.', tools: ['wave', 'bow'] }],
    },
    { key: 'fixed', title: 'Fixed', template: 'As it is.' },
  ],
  output: { json: { type: 'object', properties: { mood: { type: 'string' } } } },
});

function thrown(work: () => unknown): Partial<PromptError> {
  try {
    work();
  } catch (error) {
    if (error instanceof PromptError) return { type: error.type, field: error.field, remediation: error.remediation };
    throw error;
  }
  throw new Error('Nothing was thrown');
}

describe('rendering', () => {
  test('fills in parameters and defaults, and formats sections as markdown', () => {
    const rendered = renderPrompt(greeting.definition, { parameters: { name: 'Ada' } });
    expect(rendered.markdown).toBe(
      '## Greeting\n\nGreet Ada, 2 times. Literal: ${name}. \n\n### End\n\nSay goodbye to Ada.\n\n## Fixed\n\nAs it is.\n',
    );
    expect(rendered).toMatchObject({ parameters: { name: 'Ada', times: '2' }, tools: ['wave', 'shout', 'bow'] });
    expect(rendered.output).toEqual({ json: { type: 'object', properties: { mood: { type: 'string' } } } });
    expect(rendered.composition).toEqual({ transcript: 'none' });
    expect(rendered.hash).toBe(sha256(bytesOf(rendered.markdown)));
  });

  test('returns the byte range of every section', () => {
    const bytes = bytesOf(parentPrompt.markdown);
    const texts = Object.fromEntries(
      parentPrompt.sections.map(({ path, start, end }) => [path.join('/'), textOf(bytes.subarray(start, end))]),
    );
    expect(texts['policies/style']).toBe('### Style\n\nTwo spaces. “Quotes” are typographic.\n\n');
    expect((texts['task'] ?? '') + (texts['policies'] ?? '')).toBe(parentPrompt.markdown);
  });

  test('inserts a value once: what it contains is never expanded', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('${times}', '$&', '$1', '$$', '${name}')), (name) => {
        const { markdown } = renderPrompt(greeting.definition, { parameters: { name } });
        expect(markdown).toContain(`Say goodbye to ${name}.\n`);
      }),
    );
  });

  test('inherits the values bound by the parent, including those it does not declare', () => {
    const inherited = { name: 'Ada', repo_root: 'src' };
    expect(renderPrompt(greeting.definition, { inherited }).parameters).toEqual({ ...inherited, times: '2' });
    expect(renderPrompt(greeting.definition, { inherited, parameters: { name: 'Bob' } }).parameters).toMatchObject({
      name: 'Bob',
    });
    const using = withSections(greeting.definition, [{ key: 'more', title: 'More', template: 'In ${repo_root}.' }]);
    expect(renderPrompt(using, { inherited }).markdown).toContain('In src.');
    expect(thrown(() => renderPrompt(using, { parameters: { name: 'Ada' } }))).toMatchObject({
      type: 'Prompt.MissingParameter',
      field: 'parameters.repo_root',
    });
  });

  test('refuses a missing parameter, with its description', () => {
    expect(thrown(() => renderPrompt(greeting.definition))).toEqual({
      type: 'Prompt.MissingParameter',
      field: 'parameters.name',
      remediation: 'Give name: Whom to greet',
    });
  });

  test('refuses an unknown parameter, and lists the known ones', () => {
    const render = (): unknown => renderPrompt(greeting.definition, { parameters: { name: 'Ada', nam: 'x' } });
    expect(thrown(render)).toEqual({
      type: 'Prompt.UnknownParameter',
      field: 'parameters.nam',
      remediation: 'It takes: name, times, note.',
    });
  });

  test('refuses an unpaired surrogate', () => {
    expect(thrown(() => renderPrompt(greeting.definition, { parameters: { name: '\ud800' } })).type).toBe(
      'Prompt.InvalidUnicode',
    );
  });

  test('can start at a deeper heading level, for use inside another prompt', () => {
    const { markdown } = renderPrompt(greeting.definition, { parameters: { name: 'Ada' }, headingLevel: 4 });
    expect(markdown).toMatch(/^#### Greeting\n[^]*\n##### End\n/);
  });
});

describe('values bound in the program', () => {
  test('are checked by the schema and become text', () => {
    expect(greeting.bind({ name: 'Ada', times: 3 })).toEqual({ name: 'Ada', times: '3' });
    const wrong = (): unknown => greeting.bind({ name: 'Ada', times: 1.5 });
    expect(thrown(wrong)).toMatchObject({ type: 'Prompt.InvalidParameter', field: 'parameters.times' });
  });
});

describe('a definition', () => {
  test('is plain JSON, and renders the same after being stored', () => {
    const pinned = parseDefinition(JSON.parse(JSON.stringify(greeting.definition)));
    expect(pinned).toEqual(greeting.definition);
    const options = { parameters: { name: 'Ada' } };
    expect(renderPrompt(pinned, options)).toEqual(renderPrompt(greeting.definition, options));
  });

  test('describes its parameters', () => {
    expect(greeting.definition.parameters).toEqual([
      { name: 'name', description: 'Whom to greet', required: true },
      { name: 'times', description: 'How often', required: false, default: '2' },
      { name: 'note', description: '', required: false },
    ]);
  });

  test.each([
    ['a section key occurs twice', { sections: [1, 2].map(() => greeting.definition.sections[1]) }, 'sections[1].key'],
    [
      'a parameter occurs twice',
      { parameters: [1, 2].map(() => greeting.definition.parameters[0]) },
      'parameters[1].name',
    ],
    [
      'a required parameter has a default',
      { parameters: [{ name: 'a', description: '', required: true, default: 'b' }] },
      'parameters[0].default',
    ],
    ['there is no section', { sections: [] }, 'sections'],
    ['the key is no name', { key: 'a/b' }, 'key'],
  ])('is refused when %s', (_, change, field) => {
    const parse = (): unknown => parseDefinition({ ...greeting.definition, ...change });
    expect(thrown(parse)).toMatchObject({ type: 'Prompt.InvalidDefinition', field });
  });
});

describe('the registry', () => {
  const disabled = { ...greeting.definition, key: 'old', enabled: false };
  const registry = createRegistry([reviewer.definition, greeting.definition, disabled]);

  test('finds and lists prompts by name', () => {
    expect(registry.get('acme', 'reviewer')).toEqual(reviewer.definition);
    expect(registry.list().map(({ ns, key }) => `${ns}/${key}`)).toEqual([
      'acme/reviewer',
      'test/greeting',
      'test/old',
    ]);
    expect([registry.has('test', 'greeting'), registry.has('test', 'old'), registry.has('test', 'x')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('refuses an unknown or disabled prompt, and lists the available ones', () => {
    const remediation = 'Choose one of: acme/reviewer, test/greeting.';
    expect(thrown(() => registry.get('test', 'x'))).toMatchObject({ type: 'Prompt.Unknown', remediation });
    expect(thrown(() => registry.get('test', 'old'))).toMatchObject({ type: 'Prompt.Disabled', remediation });
  });

  test('refuses two prompts with the same name', () => {
    expect(thrown(() => createRegistry([disabled, disabled])).type).toBe('Prompt.Duplicate');
  });
});

describe('configured defaults', () => {
  const { definition } = greeting;

  test('give a required parameter a value, and replace the default of the definition', () => {
    const [configured] = withPromptDefaults([definition], { 'test/greeting': { name: 'Ada', times: '3' } });
    expect(renderPrompt(configured!).markdown).toContain('Greet Ada, 3 times.');
    expect(renderPrompt(configured!, { inherited: { name: 'Bea' } }).markdown).toContain('Greet Bea, 3 times.');
    expect(parseDefinition(JSON.parse(JSON.stringify(configured)))).toEqual(configured);
  });

  test('of a run replace those of the worker, one by one', () => {
    const byWorker = withPromptDefaults([definition], { 'test/greeting': { name: 'Ada', times: '3' } });
    const [configured] = withPromptDefaults(byWorker, { 'test/greeting': { name: 'Bea' } });
    expect(renderPrompt(configured!).markdown).toContain('Greet Bea, 3 times.');
  });

  test('decide whether a prompt can be dispatched, together with inherited values', () => {
    expect(unboundParameters(definition, {}).map(({ name }) => name)).toEqual(['name']);
    expect(unboundParameters(definition, { name: 'Ada' })).toEqual([]);
    expect(unboundParameters(withPromptDefaults([definition], { 'test/greeting': { name: '' } })[0]!, {})).toEqual([]);
  });

  test('for an unknown prompt or parameter are refused with the known ones', () => {
    expect(() => withPromptDefaults([definition], { 'test/nobody': {} })).toThrow(
      'promptDefaults: the prompt "test/nobody" does not exist. Use one of: test/greeting.',
    );
    expect(() => withPromptDefaults([definition], { 'test/greeting': { toString: 'x' } })).toThrow(
      'promptDefaults: the prompt "test/greeting" has no parameter "toString". Use one of: name, times, note.',
    );
  });
});

describe('an override', () => {
  const main = greeting.definition.sections[0]!;
  const override = { path: ['main'], replaces: sectionHash(main), template: 'Hello, ${name}!' };
  const render = (...overrides: SectionOverride[]): string =>
    renderPrompt(greeting.definition, { parameters: { name: 'Ada' }, overrides }).markdown;

  test('replaces the text of its section, but not its subsections', () => {
    expect(render(override)).toMatch(/^## Greeting\n\nHello, Ada!\n\n### End\n\nSay goodbye to Ada\./);
  });

  test.each([
    ['stale', { ...override, replaces: sectionHash({ ...main, template: 'older' }) }, 'Prompt.StaleOverride'],
    ['of a section that accepts none', { ...override, path: ['fixed'] }, 'Prompt.OverrideRefused'],
    ['of a child that accepts none', { ...override, path: ['main', 'end'] }, 'Prompt.OverrideRefused'],
    ['of a section that is not there', { ...override, path: ['nowhere'] }, 'Prompt.UnknownSection'],
  ])('is refused when it is %s', (_, wrong, type) => {
    expect(thrown(() => render(wrong))).toMatchObject({ type, field: 'overrides[0]' });
  });

  test('is refused when there are two for one section', () => {
    expect(thrown(() => render(override, override))).toMatchObject({
      type: 'Prompt.OverrideRefused',
      field: 'overrides[1]',
    });
  });
});

test('a prompt to dispatch is built in', () => {
  const { definition } = subagentPrompt;
  expect(createRegistry(builtinPrompts).get('baton', 'subagent')).toEqual(definition);
  expect(renderPrompt(definition).markdown).toContain('## Stance');
});

describe('the prompt of a root agent', () => {
  test('may get additional sections for tools', () => {
    const { definition } = agentPrompt;
    const extended = withSections(
      definition,
      [{ key: 'subagents', title: 'Subagents', template: 'Delegate.', tools: ['dispatch_subagents'] }],
      'answer',
    );
    const rendered = renderPrompt(extended, { parameters: agentPrompt.bind({ goal: 'g' }) });
    expect(rendered.tools).toEqual(['dispatch_subagents']);
    expect(rendered.markdown.indexOf('## Subagents')).toBeLessThan(rendered.markdown.indexOf('## Answer'));
    expect(thrown(() => withSections(definition, [], 'nowhere')).type).toBe('Prompt.UnknownSection');
  });
});
