import type { Command } from 'commander';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { CliError, type Terminal } from '../../../cli/context';
import { composeCommand, extractCommand, wrapCommand } from '../../../cli/prompt/compose';
import { readAll } from '../../../cli/read-input';
import {
  bareCompose,
  bareWrap,
  compose,
  composeDocument,
  textOf,
  wrap,
  wrapDocument,
} from '../../domain/prompt/samples';
import { recordTerminal } from '../../support/recorded-terminal';

const folder = mkdtempSync(join(tmpdir(), 'baton-cli-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
  return path;
}

interface Outcome {
  readonly out: Buffer;
  readonly error: CliError | undefined;
}

async function run(
  command: (terminal: Terminal) => Command,
  args: string[],
  stdin: string | (() => Promise<Uint8Array>) = '',
  isScreen = false,
): Promise<Outcome> {
  const { terminal, bytes, err } = recordTerminal({
    stdin: typeof stdin === 'string' ? Buffer.from(stdin) : stdin,
    isScreen,
  });
  const error = await command(terminal)
    .parseAsync(args, { from: 'user' })
    .then(() => undefined)
    .catch((caught: unknown) => {
      if (caught instanceof CliError) return caught;
      throw caught;
    });
  expect(err()).toBe('');
  return { out: bytes(), error };
}

describe.each([
  ['compose', composeCommand, composeDocument(), compose(composeDocument()), bareCompose('')],
  ['wrap', wrapCommand, wrapDocument(), wrap(wrapDocument()), bareWrap('')],
] as const)('baton %s', (name, command, document, expected, broken) => {
  test('prints the exact bytes of the prompt', async () => {
    const { out } = await run(command, ['--input', file(`${name}.json`, document)]);
    expect(Buffer.compare(out, expected.bytes)).toBe(0);
  });

  test('reads standard input', async () => {
    const { out } = await run(command, ['--input', '-'], JSON.stringify(document));
    expect(textOf(out)).toBe(textOf(expected.bytes));
  });

  test('prints the prompt and its details as JSON', async () => {
    const { out } = await run(command, ['--input', '-', '--json'], JSON.stringify(document));
    expect(JSON.parse(textOf(out))).toEqual({
      delegationId: expected.delegationId,
      prompt: textOf(expected.bytes),
      bytes: expected.bytes.length,
      sectionPaths: expected.sections,
      redactions: expected.redactions,
    });
  });

  test('exits with code 2 and names the field to correct when the prompt cannot be composed', async () => {
    const { error, out } = await run(command, ['--input', file(`${name}-broken.json`, broken)]);
    expect(error?.exitCode).toBe(2);
    expect(error?.message).toMatch(
      /^Prompt\.MissingParent in parent\.(rendered|prompt): .* \(delegation [0-9a-z]{26}\)$/,
    );
    expect(error?.remedy).toMatch(/^Pass the prompt/);
    expect(out).toHaveLength(0);
  });

  test('prints the error as JSON with --json', async () => {
    const { error, out } = await run(command, ['--input', '-', '--json'], JSON.stringify(broken));
    expect(error?.exitCode).toBe(2);
    const printed = JSON.parse(textOf(out)) as { error: object };
    const ofComposition = ['delegationId', 'field', 'reason', 'remediation', 'type'];
    const ofAllErrors = ['exitCode', 'message', 'remedy'];
    expect(Object.keys(printed.error).sort()).toEqual([...ofComposition, ...ofAllErrors].sort());
  });

  test.each([
    ['is not JSON', '{', /as JSON/],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), /UTF-8/],
  ])('says so when the file %s', async (_, content, message) => {
    const { error } = await run(command, ['--input', file(`${name}-bad.json`, content)]);
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringMatching(message) as string });
  });

  test('says so when the file does not exist', async () => {
    const { error } = await run(command, ['--input', join(folder, 'nowhere.json')]);
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining('ENOENT') as string });
  });
});

test('the examples in docs/prompts.md work', async () => {
  const guide = readFileSync(join(__dirname, '../../../docs/prompts.md'), 'utf8');
  const [delegation = '', wrapping = ''] = [...guide.matchAll(/<<'EOF'\n([^]*?)\nEOF\n/g)].map(([, json = '']) => json);
  const composed = await run(composeCommand, ['--input', '-'], delegation);
  expect(textOf(composed.out)).toContain('- `secrets` (39 bytes) – the audit needs no credentials');
  expect(textOf((await run(extractCommand, [], textOf(composed.out))).out)).toBe('## Task\n\nReview src.\n\n');
  expect(textOf((await run(wrapCommand, ['--input', '-'], wrapping)).out)).toContain('- `words` – A positive number.');
});

describe('baton extract', () => {
  const parent = 'A parent\r\nwithout a newline at the end, with \u001b[31mcolor\u001b[0m ';

  test('prints the parent prompt byte for byte', async () => {
    const { out } = await run(extractCommand, [], textOf(compose(bareCompose(parent)).bytes));
    expect(textOf(out)).toBe(parent);
  });

  test('makes control characters visible and adds a final line break on a screen', async () => {
    const { out } = await run(extractCommand, [], textOf(wrap(bareWrap(parent)).bytes), true);
    expect(textOf(out)).toBe('A parent\nwithout a newline at the end, with \\u{1B}[31mcolor\\u{1B}[0m \n');
  });

  test('exits with code 2 when there is no parent prompt', async () => {
    const { error } = await run(extractCommand, [], 'just a text');
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining('PARENT PROMPT START') as string });
  });

  test('exits with code 2 when the input never ends', async () => {
    function* endless(): Generator<Buffer> {
      for (;;) yield Buffer.alloc(16 * 1024 * 1024);
    }
    const { error } = await run(extractCommand, [], () => readAll(Readable.from(endless())));
    expect(error).toMatchObject({ exitCode: 2, message: 'Cannot read standard input: it is larger than 64.0 MiB' });
  });
});
