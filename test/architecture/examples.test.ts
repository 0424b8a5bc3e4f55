import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../support/paths';
import { type Example, examplesOn, type PublicApi, readPublicApi } from './public-api';

/** What a project passes to Baton or calls first. Each shows its use in an example. */
const extensionPoints = [
  'createBatonWorker',
  'startRun',
  'defineTool',
  'defineSlice',
  'definePrompt',
  'ModelPort',
  'Store',
  'startHarness',
  'startTestServer',
  'startScriptedModel',
];

/** Pages whose code must compile as it is. Others show excerpts. */
const pages = ['docs/testing-your-agents.md'];

/** Examples with an error in their second line, in their first one, and in their syntax. */
const wrongExamples: readonly Example[] = [
  'await startRun(client);\nconst run: number = startRun;\n',
  "import { nothing } from 'baton-agents/worker';\n",
  "import { startRun } from 'baton-agents';\nconst value = ;\n",
].map((code, index) => ({ of: 'startRun', entry: 'baton-agents', path: `client/wrong-${index}.ts`, line: 10, code }));

describe('the public API', () => {
  let api: PublicApi;
  let errors: readonly string[];
  const isPlanted = (error: string): boolean => error.startsWith('client/wrong-');
  beforeAll(() => {
    api = readPublicApi();
    const onPages = pages.filter((page) => existsSync(join(projectRoot, page))).flatMap(examplesOn);
    errors = api.check([...api.examples, ...onPages, ...wrongExamples]);
  });

  test('has a doc comment on every symbol', () => {
    const undocumented = api.symbols.filter(({ isDocumented }) => !isDocumented);
    expect(undocumented.map(({ name, entry, where }) => `${where}: ${name} of ${entry}`)).toEqual([]);
  });

  test.each(extensionPoints)('has an example of %s', (name) => {
    expect(api.symbols.map((symbol) => symbol.name)).toContain(name);
    expect(api.examples.map((example) => example.of)).toContain(name);
  });

  test('has examples that compile', () => {
    expect(errors.filter((error) => !isPlanted(error))).toEqual([]);
  });

  test('has examples that are checked: errors are reported with file and line', () => {
    expect(errors.filter(isPlanted)).toEqual([
      expect.stringMatching(/^client\/wrong-0\.ts:10: Expected 3 arguments, but got 1/),
      expect.stringMatching(/^client\/wrong-0\.ts:11: Type .* is not assignable to type 'number'/),
      expect.stringMatching(/^client\/wrong-1\.ts:10: Module .* has no exported member 'nothing'/),
      expect.stringMatching(/^client\/wrong-2\.ts:11: Expression expected/),
    ]);
  });
});
