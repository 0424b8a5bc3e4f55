import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readModels, readModelsFile } from '../../../definitions/model/read-models';
import { formatDiagnostic } from '../../../domain/skill';

const good = `
models:
  openai:gpt-5:
    window: 400000
    maxTokens: 128000
    price: { input: 1.25, output: 10, cacheRead: 0.125 }
  ollama:qwen3: { window: 32768 }
`;

function problems(text: string, file = 'models.yaml'): string[] {
  const read = readModels(text, file);
  return 'errors' in read ? read.errors.map(formatDiagnostic) : [];
}

describe('a models file', () => {
  test('gives the context window, the longest reply and the price of models, by name', () => {
    expect(readModels(good, 'models.yaml')).toEqual({
      models: {
        'openai:gpt-5': {
          window: 400_000,
          maxTokens: 128_000,
          price: { input: 1.25, output: 10, cacheRead: 0.125 },
        },
        'ollama:qwen3': { window: 32_768 },
      },
    });
    expect(readModels('{"models": {}}', 'models.json')).toEqual({ models: {} });
  });

  test.each([
    ['no models', 'other: 1', [/^models\.yaml:1:1: error: models: /, /^models\.yaml:1:1: error: other: unknown field/]],
    ['a model without a window', 'models:\n  a:b: {}', [/^models\.yaml:2:3: error: models\.a:b\.window: /]],
    ['a window of 0', 'models:\n  a:\n    window: 0', [/^models\.yaml:3:5: error: models\.a\.window: /]],
    [
      'replies that fill the window',
      'models:\n  a:\n    window: 10\n    maxTokens: 10',
      [/^models\.yaml:4:5: error: models\.a\.maxTokens: leaves no room for input/],
    ],
    [
      'a price without one of its parts',
      'models:\n  a:\n    window: 10\n    price: { input: 1 }',
      [/^models\.yaml:4:\d+: error: models\.a\.price\.output: /],
    ],
    ['a negative price', 'models: { a: { window: 9, price: { input: -1, output: 1 } } }', [/price\.input: /]],
    ['a field that does not exist', 'models:\n  a:\n    window: 9\n    windows: 9', [/:4:5: error: .*unknown field/]],
    ['a name with a space', 'models:\n  "a b": { window: 9 }', [/^models\.yaml:2:3: error: models\.a b: /]],
    ['one name twice', 'models:\n  a: { window: 9 }\n  a: { window: 8 }', [/:3:3: error: this key occurs twice/]],
    ['a list', '- a', [/^models\.yaml:1:1: error: /]],
    ['nothing', '', [/^models\.yaml:1:1: error: /]],
    ['a broken text', 'models: {', [/^models\.yaml:\d+:\d+: error: /]],
  ])('with %s is refused, at its line and column', (_, text, expected) => {
    const found = problems(text);
    expect(found).toHaveLength(expected.length);
    expected.forEach((pattern, at) => {
      expect(found[at]).toMatch(pattern);
    });
  });

  test('may describe as many models as fit into the settings of an agent', () => {
    const models = (count: number): string =>
      JSON.stringify({
        models: Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, { window: 9 }])),
      });
    expect(problems(models(300), 'models.json')).toEqual([]);
    expect(problems(models(600), 'models.json')).toEqual([expect.stringContaining('must be at most 8192 bytes')]);
  });

  test('that cannot be read says why', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'models-'));
    try {
      const [file, link] = [join(folder, 'models.yaml'), join(folder, 'link.yaml')];
      await writeFile(file, good);
      await symlink(file, link);
      expect(await readModelsFile(file)).toHaveProperty('models');
      expect(await readModelsFile(link)).toMatchObject({ errors: [{ message: 'is not a regular file' }] });
      expect(await readModelsFile(join(folder, 'none'))).toMatchObject({ errors: [{ message: /ENOENT/ }] });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
