import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { relaysCommand } from '../../../cli/relay/relays';
import { helpsOf, tryCommand, type Outcome } from '../../support/try-command';

const project = mkdtempSync(join(tmpdir(), 'baton-relays-cli-'));
const drafts = join(project, 'drafts');
mkdirSync(join(project, '.baton/relays'), { recursive: true });
mkdirSync(drafts);
const mine = `name: look
description: Only looks.
steps:
  - name: research
    skill: researcher
    input: { goal: { from: goal } }
`;
writeFileSync(join(project, '.baton/relays/look.yaml'), mine);
afterAll(() => {
  rmSync(project, { recursive: true });
});

const relays = (...args: string[]): Promise<Outcome> => tryCommand(relaysCommand, args);

async function checked(text: string): Promise<string[]> {
  writeFileSync(join(drafts, 'x.yaml'), text);
  const { out } = await relays('check', drafts);
  return out.split('\n').map((line) => line.replace(`${drafts}/`, ''));
}

test('list prints every relay, its steps and its origin', async () => {
  const { out, warnings } = await relays('list', '--dir', project);
  expect(out).toMatch(/^feature +skills\/relays\/feature\.yaml +research > plan > execute > verify +[0-9a-f]{12} /m);
  expect(out).toMatch(/^look +\.baton\/relays\/look\.yaml +research +[0-9a-f]{12} +Only looks\.$/m);
  expect(warnings).toEqual([]);
  const { out: json } = await relays('list', '--json', '--dir', project);
  expect(JSON.parse(json)).toMatchObject([{ name: 'feature', from: 'shipped' }, { steps: ['research'] }]);
});

test('show prints what each step does', async () => {
  const { out } = await relays('show', 'feature', '--dir', project);
  expect(out).toContain('1. research: researcher; writes DISCOVERY.md\n2. plan: planner; writes PLAN.md\n');
  expect(out).toContain('3. execute: executor; for each of steps.plan.output.step\n');
  expect(out).toContain(
    '4. verify: verifier; back to execute when steps.verify.output.verdict is "fail", at most 2 times\n',
  );
  const unknown = await relays('show', 'nothing', '--dir', project);
  expect(unknown.error).toMatchObject({ exitCode: 1, message: expect.stringContaining('feature, look') as string });
});

describe('check', () => {
  test('accepts a valid project', async () => {
    const { out, error } = await relays('check', project);
    expect(error).toBeUndefined();
    expect(out).toBe('2 relays, no errors.');
  });

  test('reports everything wrong with a file, with line and column', async () => {
    expect(
      await checked(`${mine}    colour: red
  - name: research
    skill: researcher
    input:
      goal: { from: steps.nowhere.output }
`),
    ).toEqual(['x.yaml:7:5: error: steps[0].colour: unknown field']);
    expect(
      await checked(`${mine}  - name: research
    skill: researcher
    input:
      goal: { from: steps.nowhere.output }
`),
    ).toEqual([
      'x.yaml:7:5: error: steps[1].name: "research" is already the name of a step',
      'x.yaml:10:15: error: steps[1].input.goal.from: "nowhere" is not an earlier step. Available: research.',
    ]);
  });

  test('reports steps that do not match their skills', async () => {
    expect(
      await checked(`${mine}  - name: plan
    skill: planner
    input:
      constraints: 5
      hurry: true
  - name: do
    skill: nobody
    each: { from: steps.plan.output.tasks }
    input: { goal: { from: 'steps.research.output.finding[*].proof' } }
`),
    ).toEqual([
      'x.yaml:9:5: error: steps[1].input: skill "planner" requires the field "goal"',
      expect.stringMatching(/^x\.yaml:10:7: error: steps\[1\]\.input\.constraints: .*expected string/),
      'x.yaml:11:7: error: steps[1].input.hurry: skill "planner" does not accept this field',
      'x.yaml:13:5: error: steps[2].skill: unknown skill "nobody"',
      'x.yaml:14:13: error: steps[2].each.from: the output of skill "planner" has no .tasks',
      'x.yaml:15:22: error: steps[2].input.goal.from: the output of skill "researcher" has no .finding[*].proof',
    ]);
  });

  test('prints the number of problems, also as JSON', async () => {
    await checked('name: x\n');
    const { out, error } = await relays('check', drafts, '--json');
    expect(JSON.parse(out)).toMatchObject({ relays: 1, errors: 2 });
    expect(error).toMatchObject({ exitCode: 1, message: '2 errors in relay files.' });
  });
});

test('every command has examples in its help', () => {
  expect(helpsOf(relaysCommand).filter((help) => !help.includes('Examples:'))).toEqual([]);
});
