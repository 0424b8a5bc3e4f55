import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findScenario, scenarios } from '../../../testing/scripted-model';
import { projectRoot } from '../../support/paths';
import { batonInProcess, type Printed } from '../support/in-process';
import { Stand } from '../support/stand';

/** What each command of a scenario must print, in order. The first prints the run's id if it doesn't follow the run. */
const expected: Readonly<Record<string, readonly RegExp[]>> = {
  explorer: [/^I found \d+ files and read \d of them\./],
  echo: [/./],
  turns: [/^Done after 60 turns\.$/m, /^$/],
  streaming: [/^1\. The tide comes in .* End\.$/ms],
  delegator: [/./, /^A subagent read the project for me\./, /completed/, /^REPORT\.md /m],
  reviewers: [/./, /REVIEW\.md:\n.*- README\.md: \d+ lines/s, /Model\.Refused/],
  skilled: [/./, /It is about /, /answer refused, wrong output format/],
  feature: [/./, /Every condition is met\./, /^\+\+\+ .*src\/warnings\.js/m],
  'long-work': [/./, /with \d handoffs? on the way/, /^handoffs? +/m],
  parked: [/./, /invalid x-api-key/, /: incident i1 answered with "(retry|amend)"/, /- README\.md: \d+ lines/],
  approval: [/./, /baton approve .* i1/, /answered with "(approve|deny)"/, /I (wrote|did not write) RELEASE\.md/],
  question: [/./, /Which version do I release\?/, /answered with "answer"/, /An operator answered: 7\.0\.0/],
  budget: [/./, /My subagents had a share of my budget each\..*Budget\.Exceeded/s, /Budget\.Exceeded/],
  failing: [/./, /does not have permission/, /./, /Now it works/],
};

const failsByIntent = '# fails: ';

describe('what to type next, as baton dev --scripted help prints it', () => {
  let stand: Stand;
  let folder: string;
  beforeAll(async () => {
    stand = await Stand.start(findScenario('all')!);
    folder = join(stand.folder, 'workspace');
    await cp(join(projectRoot, 'examples', 'sample-project'), folder, { recursive: true });
    process.chdir(folder);
    // Each command that follows a run listens for Ctrl-C.
    process.setMaxListeners(50);
  });
  afterAll(async () => {
    process.chdir(projectRoot);
    await stand.close();
  });

  const baton = (args: readonly string[]): Promise<Printed> => batonInProcess(stand, args);

  /** Types the lines one after the other. What shows a state is typed again until the run has got there. */
  async function type(lines: readonly string[], patterns: readonly RegExp[]): Promise<void> {
    let id = '';
    for (const [at, line] of lines.entries()) {
      const { args, isFirst } = parse(line, id);
      const fails = line.includes(failsByIntent);
      let printed = await baton(args);
      const isRight = (): boolean => printed.exitCode === (fails ? 1 : 0) && patterns[at]!.test(printed.stdout);
      const end = Date.now() + 60_000;
      while (!isRight() && /^baton (why|tree|retry)/.test(line) && Date.now() < end) {
        await pause(100);
        printed = await baton(args);
      }
      if (!isRight()) throw new Error(`${line}\n${printed.stdout}\n${printed.stderr}\n(${printed.exitCode})`);
      if (isFirst) id = printed.stdout.trim();
    }
  }

  test('every command works', async () => {
    expect(Object.keys(expected).sort()).toEqual(Object.keys(scenarios).sort());
    const outcomes = await Promise.allSettled(
      Object.entries(scenarios).map(async ([name, { commands }]) => {
        // One after the other: the second run of a goal has to go as the first did.
        for (const lines of variantsOf(commands)) await type(lines, expected[name]!);
      }),
    );
    expect(outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []))).toEqual([]);
  });

  test('a goal that names no known scenario is answered with their names', async () => {
    const { stdout } = await baton(['run', 'scenario: nothing', '--follow']);
    expect(stdout).toMatch(/^The scenario "nothing" does not exist\. Goals that name one:\n- scenario: explorer\n/);
  });
});

describe('baton dev', () => {
  const nothing = { client: undefined as never, folder: projectRoot, env: {} };

  test('--scripted help prints every scenario in 80 columns and starts nothing', async () => {
    const { stdout, stderr, exitCode } = await batonInProcess(nothing, ['dev', '--scripted', 'help']);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    for (const [name, { commands }] of Object.entries(scenarios)) {
      expect(stdout).toMatch(new RegExp(`^${name}(\\[:n\\])? +\\w`, 'm'));
      for (const command of commands) expect(stdout).toContain(`\n    ${command}\n`.trimEnd());
    }
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(await readFile(join(projectRoot, 'docs', 'testing-your-agents.md'), 'utf8')).toContain(stdout);
  });

  test('a wrong name is refused, with the names that exist', async () => {
    const { stdout, stderr, exitCode } = await batonInProcess(nothing, ['dev', '--scripted', 'parkd']);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toMatch(/^Unknown scenario "parkd"\.\nUse one of: explorer\[:n\], echo, turns\[:n\], /);
    expect(stderr).toContain('baton dev --scripted help');
  });

  test.each([
    ['that Node.js does not run', 'README.md', 'is not JavaScript'],
    ['with data', 'package.json', 'is not JavaScript'],
    ['that does not exist', 'nowhere.js', 'does not exist'],
  ])('a worker file %s is refused, and nothing is started', async (_, name, reason) => {
    const file = join(projectRoot, name);
    const { stdout, stderr, exitCode } = await batonInProcess(nothing, ['dev', '--worker', file]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toMatch(`The file ${file} ${reason}.\nCompile your project first, then pass the compiled file`);
  });
});

/** Returns the commands, and once more with those that a comment offers instead. */
function variantsOf(commands: readonly string[]): readonly (readonly string[])[] {
  const other = commands.map((command) => command.split('# or: ')[1] ?? command);
  return commands.some((command) => command.includes('# or: ')) ? [commands, other] : [commands];
}

/** Splits a line as a shell does. `isFirst`: it assigns its output to `id`. */
function parse(line: string, id: string): { args: readonly string[]; isFirst: boolean } {
  const [, assigned, plain] = /^(?:id=\$\((.*)\)|(.*?))(?:\s+# .*)?$/.exec(line) ?? [];
  const words = [...(assigned ?? plain ?? '').matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word = '']) =>
    (quoted ?? word).replace('$id', id),
  );
  expect(words[0]).toBe('baton');
  return { args: words.slice(1), isFirst: assigned !== undefined };
}
