import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { readRelayFile } from '../../definitions/relay/load-relays';
import { readSkill } from '../../definitions/skill/read-skill';
import type { Json } from '../../domain/kernel';
import { type Diagnostic, parseSkill, type SkillDefinition } from '../../domain/skill';
import { projectRoot } from '../support/paths';
import { expectNotQuadratic } from './support/growth';
import { fuzz, type Outcome } from './support/target';
import { changed, hostileText } from './support/values';

const shipped = (name: string): Json =>
  parse(readFileSync(join(projectRoot, 'skills', `${name}.yaml`), 'utf8')) as Json;
const skillNames = ['executor', 'planner', 'researcher', 'verifier'];

/** Files with these contents, in YAML or JSON, of which some are damaged as texts. */
function filesOf(values: fc.Arbitrary<Json>): fc.Arbitrary<{ text: string; isJson: boolean }> {
  return fc
    .tuple(values, fc.boolean(), fc.nat(9), fc.nat(), hostileText)
    .map(([value, isJson, damage, at, inserted]) => {
      const text = isJson ? JSON.stringify(value) : inYaml(value);
      const place = at % (text.length + 1);
      if (damage === 0) return { text: text.slice(0, place), isJson };
      return { text: damage === 1 ? text.slice(0, place) + inserted + text.slice(place) : text, isJson };
    });
}

/** The library that writes YAML can't write what is nested deeply; JSON is YAML too. */
function inYaml(value: Json): string {
  try {
    return stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return JSON.stringify(value);
    throw error;
  }
}

/** What is said about a file is short, and about that file. */
function judge(isUsable: boolean, findings: readonly Diagnostic[], file: string): Outcome {
  expect(findings.length).toBeLessThan(100);
  for (const finding of findings) {
    expect(finding.message.length + finding.field.length).toBeLessThan(1_500);
    expect(finding.file).toBe(file);
  }
  if (!isUsable) expect(findings.some(({ level }) => level === 'error')).toBe(true);
  return isUsable ? 'accepted' : 'refused';
}

function skill(text: string, file: string, format: 'baton' | 'claude-agent' = 'baton'): Outcome {
  const { skills, findings } = readSkill({ text, file, format, from: 'project' });
  return judge(skills.length === 1, findings, file);
}

const known = new Map(
  skillNames.map((name): [string, SkillDefinition] => {
    const parsed = parseSkill(shipped(name));
    if (!parsed.ok) throw new Error(name);
    return [name, parsed.skill];
  }),
);

describe('files of skills and relays', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'baton-fuzz-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const relay = async (text: string, file: string): Promise<Outcome> => {
    const path = join(folder, file);
    writeFileSync(path, text);
    const { relays, findings } = await readRelayFile(path, file, 'project', (name) => known.get(name));
    return judge(relays.length === 1, findings, file);
  };

  const skills = fc.constantFrom(...skillNames.map(shipped));
  fuzz({
    name: 'skill files',
    input: filesOf(changed(skills, 0.4)),
    run: ({ text, isJson }) => skill(text, isJson ? 'x.json' : 'x.yaml'),
    shares: { accepted: 0.2, refused: 0.2 },
    cases: 600,
  });

  const front = fc.record({ name: fc.constantFrom('helper', 'a-b'), description: hostileText, tools: hostileText });
  fuzz({
    name: 'skill files in Markdown',
    input: fc
      .tuple(filesOf(changed(front, 0.7)), hostileText)
      .map(([{ text }, body]) => `---\n${text.trimEnd()}\n---\nYou help. ${body}`),
    run: (text) => skill(text, 'x.md', 'claude-agent'),
    shares: { accepted: 0.1, refused: 0.1 },
    cases: 600,
  });

  fuzz({
    name: 'relay files',
    input: filesOf(changed(fc.constant(shipped('relays/feature')), 0.4)),
    run: ({ text, isJson }) => relay(text, isJson ? 'x.json' : 'x.yaml'),
    shares: { accepted: 0.2, refused: 0.2 },
    cases: 600,
  });

  test.each<[string, (size: number) => string]>([
    ['unknown fields', (size) => Array.from({ length: size }, (_, n) => `f${n}: 1`).join('\n')],
    ['nested lists', (size) => `a: ${'['.repeat(size)}`],
    ['a long text', (size) => `name: x\nsystemPrompt: ${'x '.repeat(size)}`],
    ['many tools', (size) => `name: x\ntools: [${'grep, '.repeat(size)}grep]`],
    ['many aliases', (size) => `a: &a [x]\nb: [${'*a, '.repeat(size)}*a]`],
    ['many line breaks', (size) => '\n'.repeat(size)],
    ['dashes', (size) => '---\n'.repeat(size)],
    ['many steps', (size) => `name: x\nsteps:\n${'  - { name: s, skill: planner }\n'.repeat(size)}`],
  ])('with %s take no time that grows with the square of it', async (_, textOf) => {
    await expectNotQuadratic(500, (size) => {
      const text = textOf(size);
      return async () => {
        skill(text, 'x.yaml');
        readSkill({ text: `---\n${text}`, file: 'x.md', format: 'claude-agent', from: 'project' });
        await relay(text, 'x.yaml');
      };
    });
  });
});
