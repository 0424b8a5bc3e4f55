import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SkillDefinition } from '../../domain/skill';
import { say } from '../../testing/scripted-model';
import { loadFolders, shippedSkills } from '../../definitions/skill/load-skills';
import { Harness, type HarnessOptions } from './harness';

/** The skills that Baton ships with, by name. */
export async function shipped(): Promise<readonly SkillDefinition[]> {
  return (await loadFolders([shippedSkills()])).skills.map(({ skill }) => skill);
}

export const projectFiles: Readonly<Record<string, string>> = {
  'README.md': 'A shop.\n',
  'src/login.ts': 'export const login = "plain";\n',
  'src/cart.ts': 'export const cart = [];\n',
  '.planning/PROJECT.md': 'The vision: a calm shop.\n',
  '.planning/ROADMAP.md': 'Phase 7 is next.\n',
  '.planning/CONTEXT.md': 'No new dependencies.\n',
};

/** Creates a small project on disk, to be mounted. */
export async function writeProject(folder: string): Promise<string> {
  for (const [path, text] of Object.entries(projectFiles)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** A harness whose agents have skills and may get a small project. */
export async function startOnProject(
  skills: NonNullable<HarnessOptions['skills']>,
  more: HarnessOptions = {},
): Promise<{ harness: Harness; workspace: { root: string } }> {
  const harness = await Harness.start(() => say('no script'), { ...more, skills });
  return { harness, workspace: { root: await writeProject(join(harness.folder, 'project')) } };
}

export const discovery = '<discovery><answer>It is plain.</answer><artifact>DISCOVERY.md</artifact></discovery>';
export const planned =
  '<plan><goal>OAuth</goal><condition>It works</condition><step><id>s1</id><title>Do</title><file>src/login.ts</file>' +
  '<action>Change it</action><check>Look</check></step><artifact>PLAN.md</artifact></plan>';
export const executed = JSON.stringify({
  status: 'done',
  summary: 'Done.',
  changedFiles: [],
  checks: [],
  deviations: [],
});

/** XML in the output format of a skill. */
export function response(xml: string): string {
  return `<response>${xml}</response>`;
}
