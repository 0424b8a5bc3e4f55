import fc from 'fast-check';
import { commandTool } from '../../activities/command/command-tool';
import type { Tool } from '../../activities/tool/define-tool';
import { endOfOutput, plainOutput, runCommandDescription } from '../../domain/command';
import { maxPayloadBytes } from '../../domain/store';
import { closeRunners, CommandRunner } from '../activities/command/support';
import { describeInSandbox } from '../support/sandbox';
import { FuzzedAgent } from './support/agent';
import { type Texts, valuesOf } from './support/from-schema';
import { expectNotQuadratic } from './support/growth';
import { fuzz } from './support/target';
import { changed, hostileText } from './support/values';

const usual = fc.constantFrom(
  ...[
    'true',
    'echo alpha',
    'cat notes.md',
    'exit 3',
    'echo x > new.md',
    'rm notes.md',
    'cat',
    'kill -9 $$',
    'pwd; ls -la',
  ],
  ...[
    'ln -s /etc x',
    'mkdir -p a/b && touch a/b/c',
    'head -c 200000 /dev/zero',
    'printf "\\033[31m\\000\\377"',
    'chmod 0 *',
    'echo \0',
  ],
);
/** Reach a limit: of time, of output, of processes. */
const excessive = fc.constantFrom(
  'sleep 60',
  'yes',
  'for i in $(seq 100); do sleep 60 & done; wait',
  'true & sleep 60 &',
);

/** What the schema does not say. Nothing may run for long. */
const texts: Texts = {
  command: fc.oneof(
    { weight: 50, arbitrary: usual },
    { weight: 49, arbitrary: hostileText },
    { weight: 1, arbitrary: excessive },
  ),
  cwd: fc.oneof(fc.constantFrom('.', 'src', 'src/../src', 'notes.md'), hostileText),
  timeout_seconds: fc.constantFrom(1, 2, 3),
};

describeInSandbox('commands of agents', () => {
  const agent = new FuzzedAgent({ 'notes.md': '# Notes\n', 'src/main.ts': 'export {};\n' });
  let tool: Tool;
  beforeAll(async () => {
    await agent.open();
    const limits = { maxSeconds: 3, processes: 64, outputBytes: 1024 * 1024 };
    const { commands } = await CommandRunner.with({}, { limits });
    tool = commandTool(commands, {}, maxPayloadBytes);
  });
  afterAll(closeRunners);

  const inputs = changed(valuesOf(runCommandDescription({}).inputSchema, texts), 0.8);
  fuzz({
    name: 'run_command',
    input: inputs,
    run: (input) => agent.call(tool, input),
    shares: { accepted: 0.1, refused: 0.2 },
    cases: 60,
  });
});

test.each<[string, (size: number) => string]>([
  ['lines', (size) => 'x\n'.repeat(size)],
  ['carriage returns', (size) => '\r'.repeat(size)],
  ['colours', (size) => '\u001b[31mx'.repeat(size)],
  ['escape sequences that do not end', (size) => `\u001b[${'1;'.repeat(size)}`],
  ['titles that do not end', (size) => '\u001b]0;'.repeat(size)],
  ['characters in a line', (size) => 'x'.repeat(size)],
])('output with many %s takes no time that grows with the square of it', async (_, outputOf) => {
  await expectNotQuadratic(2_000, (size) => {
    const output = outputOf(size);
    return () => endOfOutput(plainOutput(output));
  });
});
