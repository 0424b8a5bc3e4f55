import { builtInTools } from '../../../activities/tool/builtin';
import { loadFolders, shippedSkills } from '../../../definitions/skill/load-skills';
import { createRegistry } from '../../../domain/prompt';
import {
  assembleContext,
  composeSkillPrompt,
  type SkillDefinition,
  skillPrompt,
  sourceFromFiles,
} from '../../../domain/skill';
import { builtInToolNames } from '../../../domain/tool';

const loading = loadFolders([shippedSkills()]);
const skillNamed = async (name: string): Promise<SkillDefinition> => (await loading).get(name).skill;

const project = {
  '.planning/PROJECT.md': 'vision',
  '.planning/ROADMAP.md': 'roadmap',
  '.planning/CONTEXT.md': 'constraints',
  'PLAN.md': '1. Change `src/auth.ts`. See .planning/ROADMAP.md.',
  'src/auth.ts': 'export const code = 1;',
};

describe('shipped skills', () => {
  test('are valid, and can be registered together', async () => {
    const { skills, findings } = await loading;
    expect(findings).toEqual([]);
    const registry = createRegistry(skills.map(({ skill }) => skillPrompt(skill)));
    expect(registry.list().map(({ ns, key }) => `${ns}/${key}`)).toEqual([
      'skills/executor',
      'skills/planner',
      'skills/researcher',
      'skills/verifier',
    ]);
  });

  test('are checked against the names of all built-in tools', () => {
    expect(Object.values(builtInToolNames)).toEqual(builtInTools.map(({ description }) => description.name));
  });

  test.each(['researcher', 'planner', 'verifier'])('let a %s change no file', async (name) => {
    const { tools } = await skillNamed(name);
    expect(tools).toContain('read_file');
    expect(tools).not.toContain('write_file');
    expect(tools).not.toContain('edit_file');
  });

  test('let only an executor write', async () => {
    expect((await skillNamed('executor')).tools).toEqual(expect.arrayContaining(['write_file', 'edit_file']));
  });

  test('give a planner vision, roadmap, constraints and an outline, but no code', async () => {
    const { text, absent } = await assembleContext(await skillNamed('planner'), sourceFromFiles(project));
    expect(text).toContain('<project_vision>\nvision\n</project_vision>');
    expect(text).toContain('<roadmap_status>\nroadmap\n</roadmap_status>');
    expect(text).toContain('<current_constraints>\nconstraints\n</current_constraints>');
    expect(text).toContain('src/\n  auth.ts');
    expect(text).not.toContain('export const');
    expect(absent.map(({ source }) => source)).toEqual(['DISCOVERY.md']);
  });

  test('give an executor the plan and its files, but neither roadmap nor vision', async () => {
    const { text } = await assembleContext(await skillNamed('executor'), sourceFromFiles(project));
    expect(text).toContain('<mission_protocol>\n1. Change');
    expect(text).toContain('<file path="src/auth.ts">\nexport const code = 1;\n</file>');
    expect(text).not.toMatch(/^roadmap$|^vision$|project_vision|roadmap_status/m);
  });

  test.each(['executor', 'verifier'])('do not let an %s start without a plan', async (name) => {
    await expect(assembleContext(await skillNamed(name), sourceFromFiles({}))).rejects.toThrow('needs PLAN.md');
  });

  test.each(['researcher', 'planner', 'executor', 'verifier'])('result in a short prompt for a %s', async (name) => {
    const skill = await skillNamed(name);
    const context = await assembleContext(skill, sourceFromFiles(project));
    const { markdown, bytes } = composeSkillPrompt({ skill, context, input: { goal: 'Add OAuth.' } });
    expect(markdown.match(/^# .*$/gm)).toEqual(['# SYSTEM', '# CONTEXT (Injected)', '# TASK', '# INPUT']);
    expect(bytes - context.bytes).toBeLessThan(6_000);
  });
});
