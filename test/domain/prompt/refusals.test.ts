import { composePrompt, startMarker, wrapPrompt } from '../../../domain/prompt';
import { endMarker } from '../../../domain/prompt/markers';
import { changedOnce } from './change-one-field';
import {
  bareCompose,
  bareWrap,
  compose,
  composeDocument,
  refused,
  sha256,
  textOf,
  wrap,
  wrapDocument,
} from './samples';

const composed = (document: unknown): ReturnType<typeof refused> => refused(composePrompt(document, { sha256 }));
const wrapped = (document: unknown): ReturnType<typeof refused> => refused(wrapPrompt(document, { sha256 }));

/** The sample with one value replaced, at a path written with dots. */
function withField(document: object, place: string, value: unknown): unknown {
  const found = changedOnce(document, () => value).find(({ field }) => field === place);
  if (found === undefined) throw new Error(`The sample has no field ${place}`);
  return found.document;
}

const namesOfPrototype = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];

/** The document with one more field of its own, as JSON has it: also if its name is `__proto__`. */
function withOwn(document: object, name: string): unknown {
  return Object.fromEntries([...Object.entries(document), [name, 1]]);
}

describe('a six-section prompt is refused', () => {
  test.each([
    ['without an input', undefined, 'Prompt.MissingParent', 'parent.rendered'],
    ['without a parent', {}, 'Prompt.MissingParent', 'parent.rendered'],
    ['with an empty parent prompt', bareCompose(''), 'Prompt.MissingParent', 'parent.rendered'],
    ['with half a character in the parent prompt', bareCompose('a\ud800b'), 'Prompt.InvalidUnicode', 'parent.rendered'],
    ['with a field nobody knows', bareCompose('p', { extra: 1 }), 'Input.Invalid', 'extra'],
    ['with a parent prompt that is not a text', { parent: { rendered: 5 } }, 'Prompt.MissingParent', 'parent.rendered'],
    ...namesOfPrototype.map((name): [string, unknown, string, string] => [
      `with a field ${name}`,
      withOwn(bareCompose('p'), name),
      'Input.Invalid',
      name,
    ]),
    ['without a delegation', { parent: { ...composeDocument().parent } }, 'Input.Invalid', 'delegation'],
  ])('%s', (_, document, type, field) => {
    expect(composed(document)).toMatchObject({ type, field, remediation: expect.stringMatching(/\w/) as string });
  });

  test.each([
    ['delegation.reason', 'one\ntwo', 'Prompt.MultiLine'],
    ['delegation.reason', 'one\u2028two', 'Prompt.MultiLine'],
    ['delegation.expectedCompletion', 'one\r\ntwo', 'Prompt.MultiLine'],
    ['delegation.additionalContext.0.title', 'a\nb', 'Prompt.MultiLine'],
    ['tooling.tools.0.name', 'a\nb', 'Prompt.MultiLine'],
    ['delegation.reason', ' ', 'Input.Invalid'],
    ['delegation.taskSummary', '', 'Input.Invalid'],
    ['delegation.requiredOutputs.1', '', 'Input.Invalid'],
    ['delegation.taskSummary', 'a \udc00 b', 'Prompt.InvalidUnicode'],
    ['parent.parameters.repo_root', '\ud800', 'Prompt.InvalidUnicode'],
    ['delegation.taskSummary', 'Look in ${repo_root}.', 'Prompt.PlaceholderInField'],
    ['instructions.principles.0', 'Look in ${ repo_root }.', 'Prompt.PlaceholderInField'],
    ['delegation.taskSummary', 'First\n## Tooling Context\nno tools', 'Prompt.ReservedHeading'],
    ['instructions.role', '# Delegation Overview', 'Prompt.ReservedHeading'],
    ['delegation.taskSummary', '##\tTooling Context', 'Prompt.ReservedHeading'],
    ['delegation.taskSummary', 'First\n\n##  Tooling \t Context ##\r\nno tools', 'Prompt.ReservedHeading'],
    ['delegation.taskSummary', 'First\n\nTooling Context\n---\nno tools', 'Prompt.ReservedHeading'],
    ['instructions.role', 'Delegation Overview \r\n  ===\r\n', 'Prompt.ReservedHeading'],
    ['tooling.tools.0.cost', '', 'Prompt.InvalidTooling'],
    ['tooling.tools.0.cost', '  ', 'Prompt.InvalidTooling'],
    ['tooling.tools.0.access', 'shared', 'Prompt.InvalidTooling'],
    ['tooling.tools.1.reason', '', 'Prompt.InvalidTooling'],
    ['tooling.tools.1.alternative', ' ', 'Prompt.InvalidTooling'],
    ['tooling.tools.1.name', 'read_file', 'Prompt.InvalidTooling'],
    ['tooling.added.0.id', 'workspace.read_file', 'Prompt.InvalidTooling'],
    ['instructions.toolPolicies.0.tool', 'unheard_of', 'Prompt.InvalidTooling'],
    ['redactions.0.reason', ' ', 'Prompt.InvalidRedaction'],
    ['redactions.0.path.1', 'nowhere', 'Prompt.UnknownSection'],
    ['parent.sections.1.path.0', 'task', 'Prompt.InvalidSections'],
  ])('when %s is %j', (place, value, type) => {
    const error = composed(withField(composeDocument(), place, value));
    expect(error.type).toBe(type);
    // `redactions[0].path` for `redactions.0.path.1`, because a path is invalid as a whole.
    const field = error.field.replace(/\[(\d+)\]/g, '.$1');
    if (type !== 'Prompt.InvalidTooling' || !place.startsWith('instructions'))
      expect(place.startsWith(field)).toBe(true);
    expect(error.delegationId).toMatch(/^[0-9a-z]{26}$/);
  });

  test('when there are very many unknown fields, in a short message', () => {
    const fields = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`field-${at}`, 1]));
    const error = composed(bareCompose('p', fields));
    expect(error).toMatchObject({ type: 'Input.Invalid', field: 'field-0' });
    expect(error.reason).toBe('it is not a known field, and neither are 49999 others');
  });

  test('when the parent prompt is not a text, and says what it is', () => {
    expect(composed({ parent: { rendered: 5 } }).reason).toBe(
      'the prompt of the parent must be a text, not a value of type number',
    );
  });

  test('when a field is missing, and says so plainly', () => {
    const { parent } = composeDocument();
    expect(composed({ parent }).reason).toBe('it is missing');
  });

  test('when a tool is restricted and the instructions do not mention it', () => {
    const document = composeDocument();
    const silent = { ...document, instructions: { ...document.instructions, toolPolicies: [] } };
    expect(composed(silent)).toMatchObject({ type: 'Prompt.InvalidTooling', field: 'instructions.toolPolicies' });
  });

  test('when a tool is both added and revoked', () => {
    const tool = { ...composeDocument().tooling!.added![0]!, access: 'revoked', reason: 'r', alternative: 'a' };
    const error = composed(bareCompose('p', { tooling: { added: [tool] } }));
    expect(error).toMatchObject({ type: 'Prompt.InvalidTooling', field: 'tooling.added[0].access' });
  });

  test('when a bound placeholder appears again, and the remedy contains its value', () => {
    const error = composed(withField(composeDocument(), 'delegation.taskSummary', 'See ${repo_root}'));
    expect(error.remediation).toContain('services/billing');
  });
});

describe('a thin wrapper is refused', () => {
  test.each([
    ['with an empty parent prompt', bareWrap(''), 'Prompt.MissingParent', 'parent.prompt'],
    ['with half a character in the parent prompt', bareWrap('\udfff'), 'Prompt.InvalidUnicode', 'parent.prompt'],
    ['with a field nobody knows', bareWrap('p', { tools: [] }), 'Input.Invalid', 'tools'],
    ...namesOfPrototype.map((name): [string, unknown, string, string] => [
      `with a field ${name}`,
      withOwn(bareWrap('p'), name),
      'Input.Invalid',
      name,
    ]),
    [
      'with a reason of two lines',
      withField(bareWrap('p'), 'delegation.reason', 'a\nb'),
      'Prompt.MultiLine',
      'delegation.reason',
    ],
    [
      'with a recap line of two lines',
      withField(wrapDocument(), 'delegation.recapLines.1', 'a\nb'),
      'Prompt.MultiLine',
      'delegation.recapLines[1]',
    ],
    [
      'without an expected result',
      withField(bareWrap('p'), 'delegation.expectedResult', ''),
      'Input.Invalid',
      'delegation.expectedResult',
    ],
    [
      'with an answer of an unknown type',
      withField(wrapDocument(), 'parent.output.container', 'text'),
      'Input.Invalid',
      'parent.output.container',
    ],
  ])('%s', (_, document, type, field) => {
    expect(wrapped(document)).toMatchObject({ type, field });
  });
});

describe('a marker is refused in every field', () => {
  const notPlanted = /^(?:parent\.(?:rendered|prompt|parameters)|limits|position\.(?:ordinal|parentDelegationId))/;
  const texts = (document: object): string[] =>
    changedOnce(document, (leaf) => leaf)
      .filter(({ field }) => !notPlanted.test(field))
      .map(({ field }) => field)
      .filter(
        (field) =>
          typeof field.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) ===
          'string',
      )
      .filter((field) => !/\.(?:access|container)$/.test(field));

  test.each(texts(composeDocument()))('of a six-section prompt: %s', (place) => {
    for (const marker of [startMarker, endMarker, '<!--parent  prompt end-->']) {
      const error = composed(withField(composeDocument(), place, `so ${marker} so`));
      expect(error).toMatchObject({ type: 'Prompt.MarkerInField', field: place.replace(/\.(\d+)/g, '[$1]') });
    }
  });

  test.each([...texts(wrapDocument()), 'delegationId'])('of a thin wrapper: %s', (place) => {
    const document = withField({ ...wrapDocument(), delegationId: 'mine' }, place, `so ${startMarker} so`);
    expect(wrapped(document)).toMatchObject({ type: 'Prompt.MarkerInField', field: place.replace(/\.(\d+)/g, '[$1]') });
  });

  test('but not in a bound value, which only the parent prompt shows', () => {
    expect(textOf(compose(withField(composeDocument(), 'parent.parameters.repo_root', startMarker)).bytes)).toContain(
      'billing',
    );
  });
});

describe('a prompt over its limit is refused with its size', () => {
  const size = compose(composeDocument()).bytes.length;
  const limited = (limits: object): unknown => ({ ...composeDocument(), limits });

  test('one byte more than allowed', () => {
    const error = composed(limited({ maxBytes: size - 1 }));
    expect(error).toMatchObject({ type: 'Prompt.TooLarge', field: 'delegation.taskSummary' });
    expect(error.reason).toContain(`${size} bytes, 1 more than the limit of ${size - 1}`);
    expect(compose(limited({ maxBytes: size })).bytes.length).toBe(size);
  });

  test('in tokens', () => {
    const tokens = Math.ceil(size / 3);
    expect(composed(limited({ maxTokens: tokens - 1 })).reason).toContain(`${tokens} tokens, 1 more`);
    expect(compose(limited({ maxTokens: tokens })).bytes.length).toBe(size);
  });

  test('and blames the parent prompt when that alone is too large', () => {
    expect(composed(bareCompose('p'.repeat(100), { limits: { maxBytes: 50 } })).field).toBe('parent.rendered');
    expect(wrapped(bareWrap('p'.repeat(100), { limits: { maxTokens: 20 } })).field).toBe('parent.prompt');
  });
});

test('quoted text may contain placeholders and headings', () => {
  const place = 'delegation.additionalContext.0.body';
  const prompt = compose(withField(composeDocument(), place, '## Tooling Context\n${repo_root}'));
  expect(textOf(prompt.bytes)).toContain('```text\n## Tooling Context\n${repo_root}\n```');
  expect(compose(withField(composeDocument(), 'tooling.tools.0.success', 'fills in ${repo_root}')).ok).toBe(true);
});

test('everything that may be empty may be omitted', () => {
  expect(textOf(compose(bareCompose('p')).bytes)).toContain('### Scope Constraints\n\ninherit parent scope\n');
  expect(textOf(wrap(bareWrap('p')).bytes)).not.toContain('## Recap');
});
