import fc from 'fast-check';
import { builtInTools } from '../../activities/tool/builtin';
import type { Json } from '../../domain/kernel';
import { FuzzedAgent } from './support/agent';
import { type Schema, type Texts, valuesOf } from './support/from-schema';
import { expectNotQuadratic } from './support/growth';
import { fuzz } from './support/target';
import { changed, hostileText } from './support/values';

const files = {
  'notes.md': '# Notes\nalpha\nbeta\n',
  'src/main.ts': 'export const alpha = 1;\r\nexport const beta = 2;\n',
  'long.txt': 'x'.repeat(150_000),
  'many.txt': 'line\n'.repeat(5_000),
  'logo.png': Buffer.from([0, 1, 2, 255]),
};
const paths = Object.keys(files);

/** What the schemas do not say: paths that exist, texts of files, patterns. */
const texts: Texts = {
  path: fc.oneof(fc.constantFrom(...paths, '.', 'src', 'new.md', 'src/new/deep.ts'), hostileText),
  glob: fc.oneof(fc.constantFrom('*.ts', '**/*.md', '!src/**', '{a,b}*'), hostileText),
  pattern: fc.oneof(fc.constantFrom('alpha', '^export', '(a|b)+', '[[:alpha:]]{2,9}', '\\p{L}+', '('), hostileText),
  old_text: fc.oneof(fc.constantFrom('alpha', 'beta\n', 'line', 'x'), hostileText),
  content: fc.oneof(fc.constantFrom('short', 'x'.repeat(200_000)), hostileText),
  name: fc.oneof(fc.constantFrom('report.md', 'a/b.txt', 'notes'), hostileText),
  id: fc.oneof(fc.constantFrom('S001', 'S002', 'S999'), hostileText),
};

const agent = new FuzzedAgent(files);
beforeAll(() => agent.open());

describe('tool inputs', () => {
  const calls = fc.oneof(
    ...builtInTools.map((tool) =>
      changed(valuesOf(tool.description.inputSchema as Schema, texts), 0.6).map((input) => ({ tool, input })),
    ),
  );
  fuzz({
    name: 'tool inputs',
    input: calls,
    run: ({ tool, input }) => agent.call(tool, input),
    shares: { accepted: 0.2, refused: 0.2 },
    cases: 1_500,
  });

  test.each(builtInTools.map((tool) => [tool.description.name, tool] as const))(
    'the time of %s does not grow with the square of its input',
    async (_, tool) => {
      await expectNotQuadratic(2_000, (size) => {
        const input = largeInput(tool.description.inputSchema, size);
        return () => agent.call(tool, input);
      });
    },
  );
});

/** What has to be valid for a tool to read the rest of its input. */
const valid: Readonly<Record<string, Json>> = { path: 'many.txt', name: 'a.md', id: 'S001', status: 'done' };

/** An input that is valid as far as possible, and whose other texts and lists have this size. */
function largeInput({ properties = {}, required = [] }: Schema, size: number): Json {
  const entries = Object.entries(properties).filter(([name]) => required.includes(name) || name === 'glob');
  return Object.fromEntries(
    entries.map(([name, { type }]): [string, Json] => {
      const large =
        type === 'array' ? Array.from({ length: Math.ceil(size / 10) }, () => 'a step') : 'a\n'.repeat(size / 2);
      return [name, valid[name] ?? large];
    }),
  );
}
