import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatDiagnostic, type SkillCatalog } from '../../../domain/skill';
import { loadFolders, loadSkills, projectSkills } from '../../../definitions/skill/load-skills';

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'baton-skills-'));
});
afterEach(() => {
  rmSync(project, { recursive: true });
});

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), content);
}

const skill = (name: string, prompt = 'You.'): string =>
  `name: ${name}\ndescription: D.\nsystemPrompt: ${prompt}\ntools: []\n`;
const markdown = (name: string): string => `---\nname: ${name}\ndescription: D.\n---\nYou.\n`;
const lines = ({ findings }: SkillCatalog): string[] => findings.map(formatDiagnostic);

describe('the skills of a project', () => {
  test('are the shipped ones when it has none of its own', async () => {
    const catalogue = await loadSkills(project);
    expect(catalogue.skills.map(({ skill: { name } }) => name)).toEqual([
      'executor',
      'planner',
      'researcher',
      'verifier',
    ]);
    expect(catalogue.findings).toEqual([]);
  });

  test('override shipped ones of the same name, with a notice', async () => {
    write('.baton/skills/planner.yaml', skill('planner', 'Mine.'));
    const catalogue = await loadSkills(project);
    expect(catalogue.get('planner')).toMatchObject({ from: 'project', file: '.baton/skills/planner.yaml' });
    expect(catalogue.get('planner').skill.systemPrompt).toBe('Mine.');
    expect(lines(catalogue)).toEqual([
      '.baton/skills/planner.yaml:1:1: notice: name: "planner" replaces the shipped skill of the same name in skills/planner.yaml',
    ]);
  });

  test('must have unique names within one folder', async () => {
    write('.baton/skills/a.yaml', skill('same'));
    write('.baton/skills/b.json', JSON.stringify({ name: 'same', description: 'D.', systemPrompt: 'Y', tools: [] }));
    const catalogue = await loadSkills(project);
    expect(catalogue.get('same').file).toBe('.baton/skills/a.yaml');
    expect(lines(catalogue)).toEqual([
      '.baton/skills/b.json:1:1: error: name: "same" is already the name of the skill in .baton/skills/a.yaml',
    ]);
  });

  test('come from agents and skill folders of other programs too, Baton’s own format first', async () => {
    write('.claude/agents/one.md', markdown('one'));
    write('.claude/skills/two/SKILL.md', markdown('two'));
    write('.claude/skills/two/scripts/run.py', '');
    write('.claude/skills/one/SKILL.md', markdown('one'));
    write('.baton/skills/three/SKILL.md', markdown('three'));
    write('.baton/skills/two.yml', skill('two'));
    const catalogue = await loadFolders(projectSkills(project));
    expect(catalogue.skills.map(({ skill: { name }, format }) => `${name} ${format}`)).toEqual([
      'one claude-agent',
      'three skill-folder',
      'two baton',
    ]);
    expect(lines(catalogue)).toContain('.claude/skills/two/scripts:1:1: notice: is ignored: only SKILL.md is read');
    expect(lines(catalogue).filter((line) => line.includes('replaces the'))).toHaveLength(2);
  });

  test('are never read from links or binary files, and never silently ignored', async () => {
    write('secret', skill('secret'));
    write('.baton/skills/bytes.yaml', Buffer.from([0xff, 0xfe]));
    write('.baton/skills/large.yaml', `# ${'x'.repeat(300_000)}`);
    write('.baton/skills/notes.txt', '');
    write('.baton/skills/empty/notes.txt', '');
    symlinkSync(join(project, 'secret'), join(project, '.baton/skills/link.yaml'));
    expect(lines(await loadFolders(projectSkills(project)))).toEqual([
      '.baton/skills/bytes.yaml:1:1: error: is not UTF-8',
      '.baton/skills/empty:1:1: notice: is ignored: the folder has no SKILL.md',
      '.baton/skills/large.yaml:1:1: error: is larger than 262144 bytes',
      '.baton/skills/link.yaml:1:1: error: is not a regular file',
      '.baton/skills/notes.txt:1:1: notice: is ignored: its name is not that of a skill file',
    ]);
  });

  test('are found by name, and the error for an unknown name lists them', async () => {
    const catalogue = await loadSkills(project);
    expect(() => catalogue.get('nobody')).toThrow('Available: executor, planner, researcher, verifier');
  });
});
