import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../../../cli/context';
import { skillsCommand } from '../../../cli/skill/skills';
import { helpsOf, tryCommand, type Outcome } from '../../support/try-command';

const project = mkdtempSync(join(tmpdir(), 'baton-skills-cli-'));
const broken = join(project, 'drafts');
mkdirSync(join(project, '.baton/skills'), { recursive: true });
mkdirSync(broken);
writeFileSync(
  join(project, '.baton/skills/planner.yaml'),
  'name: planner\ndescription: Mine.\nsystemPrompt: You plan.\ntools: [grep]\noutput: text\nslice:\n  - { source: A.md, tag: a }\n',
);
writeFileSync(join(broken, 'x.yaml'), 'name: x\ndescription: X.\nsystemPrompt: You.\ntools: grep\nodd: 1\n');
afterAll(() => {
  rmSync(project, { recursive: true });
});

const skills = (...args: string[]): Promise<Outcome> => tryCommand(skillsCommand, args);

describe('baton skills list', () => {
  test('prints every skill and its origin, and warns about overridden skills', async () => {
    const { out, warnings } = await skills('list', '--dir', project);
    expect(out).toMatch(/^planner +\.baton\/skills\/planner\.yaml +1 +[0-9a-f]{12} +Mine\.$/m);
    expect(out).toMatch(/^verifier +skills\/verifier\.yaml/m);
    expect(warnings).toEqual([expect.stringContaining('replaces the shipped skill')]);
  });

  test('gives programs JSON', async () => {
    const listed = JSON.parse((await skills('list', '--json', '--dir', project)).out) as {
      name: string;
      from: string;
    }[];
    expect(listed.find(({ name }) => name === 'planner')).toMatchObject({ from: 'project', tools: ['grep'] });
  });
});

describe('baton skills check', () => {
  test('accepts a valid project, and reports which skills replace others', async () => {
    const { out, error } = await skills('check', project);
    expect(error).toBeUndefined();
    expect(out).toMatch(/notice: name: "planner"[^\n]*\n4 skills, no errors\.$/);
  });

  test('prints all problems with file, line and column, and exits with 1', async () => {
    const { out, error } = await skills('check', broken);
    expect(out.split('\n')).toEqual([
      expect.stringContaining(`${join(broken, 'x.yaml')}:4:1: error: tools: `),
      `${join(broken, 'x.yaml')}:5:1: error: odd: unknown field`,
    ]);
    expect(error).toMatchObject({ exitCode: 1, message: '2 errors in skill files.' });
  });

  test('gives programs JSON', async () => {
    const { out, error } = await skills('check', broken, '--json');
    expect(JSON.parse(out)).toMatchObject({
      errors: 2,
      findings: [{ line: 4, column: 1, field: 'tools' }, { line: 5 }],
    });
    expect(error).toBeInstanceOf(CliError);
  });

  test('refuses a folder that does not exist', async () => {
    expect((await skills('check', join(project, 'nowhere'))).error).toMatchObject({ exitCode: 2 });
  });
});

describe('baton skills show', () => {
  test('prints definition, origin, hash and the composite prompt with placeholders', async () => {
    const { out } = await skills('show', 'planner', '--dir', project);
    expect(out).toContain('planner (project, baton)\nFile: .baton/skills/planner.yaml\nHash: ');
    expect(out).toContain('  systemPrompt: You plan.\n');
    expect(out).toContain('# SYSTEM\n\nYou plan.\n\n# CONTEXT (Injected)\n\n<a>[A.md, if present]</a>\n\n# TASK\n\n');
    expect(out).toMatch(/# INPUT\n\nUser Goal: \[string\]$/);
  });

  test('gives programs JSON', async () => {
    const shown = JSON.parse((await skills('show', 'executor', '--json', '--dir', project)).out) as { prompt: string };
    expect(shown).toMatchObject({ from: 'shipped', skill: { name: 'executor' } });
    expect(shown.prompt).toContain('<file>[files mentioned in PLAN.md, if present]</file>');
  });

  test('lists the available skills for an unknown name', async () => {
    const { error } = await skills('show', 'nobody', '--dir', project);
    expect(error).toMatchObject({ exitCode: 1, message: expect.stringContaining('executor, planner') as string });
  });
});

test('every command has examples in its help', () => {
  expect(helpsOf(skillsCommand).filter((help) => !help.includes('Examples:'))).toEqual([]);
});
