import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadRelays, projectRelays, shippedRelays } from '../../definitions/relay/load-relays';
import { loadSkills } from '../../definitions/skill/load-skills';
import { formatDiagnostic } from '../../domain/skill';
import { projectSkills } from '../../worker/project-skills';

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'baton-bad-files-'));
});
afterEach(() => {
  rmSync(project, { recursive: true });
});

function write(path: string, content: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), content);
}

const good = 'name: good\ndescription: D.\nsystemPrompt: You.\ntools: []\n';
const own = (rest: string): string => `name: bad\ndescription: D.\nsystemPrompt: You.\ntools: []\n${rest}`;
const agent = (front: string): string => `---\nname: bad\ndescription: D.\n${front}\n---\nYou.\n`;

/** Loads the project with a good skill beside the bad file, and returns what is said about the latter. */
async function findingsOf(path: string, content: string): Promise<string[]> {
  write('.baton/skills/good.yaml', good);
  write(path, content);
  const catalog = await loadSkills(project);
  expect(catalog.get('good').file).toBe('.baton/skills/good.yaml');
  const relays = await loadRelays([shippedRelays(), projectRelays(project)], catalog);
  expect(relays.get('feature').from).toBe('shipped');
  return [...catalog.findings, ...relays.findings].map(formatDiagnostic);
}

describe('a bad file is named, and the others are used', () => {
  test.each<[string, string, string, RegExp]>([
    [
      'a skill that contains itself',
      '.baton/skills/bad.yaml',
      own('input: &a {type: object, properties: {x: *a}}'),
      /^\.baton\/skills\/bad\.yaml:5:\d+: error: contains itself through an alias/,
    ],
    ['an agent that contains itself', '.claude/agents/bad.md', agent('tools: &a [*a]'), /bad\.md:.*contains itself/],
    [
      'a relay that contains itself',
      '.baton/relays/bad.yaml',
      'steps: &a [*a]',
      /relays\/bad\.yaml:1:.*contains itself/,
    ],
    [
      'deep nesting',
      '.baton/skills/bad.yaml',
      own(`input: ${'['.repeat(300)}${']'.repeat(300)}`),
      /nested more than 100/,
    ],
    ['endless nesting', '.baton/skills/bad.yaml', own(`input: ${'['.repeat(90_000)}`), /error: is nested too deeply/],
    [
      'endless mappings',
      '.baton/skills/bad.yaml',
      own(`input: ${'{a: '.repeat(50_000)}`),
      /error: is nested too deeply/,
    ],
    ['an alias bomb', '.baton/skills/bad.yaml', bomb(), /bad\.yaml:.*expand to too much text/],
    ['half a character', '.baton/skills/bad.yaml', own('task: "a\\uD800b"'), /:5:1: error: .*half of a character/],
    ['several documents', '.baton/skills/bad.yaml', own('---\nname: b\n'), /several YAML documents, separated by ---/],
    ['a key twice', '.baton/skills/bad.yaml', own('name: again\n'), /:5:1: error: this key occurs twice/],
    [
      'a key twice in JSON',
      '.baton/skills/bad.json',
      '{"name":"a",\n"name":"b"}',
      /:2:1: error: this key occurs twice/,
    ],
    ['a key that is a list', '.baton/skills/bad.yaml', own('? [a]\n: b\n'), /error: a key must be a text/],
    [
      'bounds that nothing satisfies',
      '.baton/skills/bad.yaml',
      own('input: {type: object, properties: {x: {type: string, minLength: 9, maxLength: 2}}}'),
      /error: input\.properties\.x\.minLength: is greater than maxLength/,
    ],
    [
      'a file instead of a folder of skills',
      '.claude/agents',
      'a file',
      /^\.claude\/agents:1:1: error: is not a folder/,
    ],
    ['a file instead of a folder of relays', '.baton/relays', 'a file', /^\.baton\/relays:1:1: error: is not a folder/],
    ['a file instead of a folder of folders', '.claude', 'a file', /^\.claude\/agents:1:1: error: is not a folder/],
  ])('%s', async (_, path, content, words) => {
    const findings = await findingsOf(path, content);
    expect(findings.find((line) => words.test(line))).toBeDefined();
    expect(findings.join('\n')).not.toMatch(/YAML\.parse|stringKeys|call stack/);
  });

  test('thousands of problems give a few lines', async () => {
    const keys = Array.from({ length: 20_000 }, (_, at) => `key${at}: 1\n`).join('');
    for (const [path, text] of [
      ['.baton/skills/bad.yaml', own(keys)],
      ['.claude/agents/bad.md', agent(keys)],
    ] as const) {
      const findings = await findingsOf(path, text);
      expect(findings.length).toBeLessThan(50);
      expect(findings.join('\n')).toMatch(/19980 more like these are not shown/);
    }
    const long = await findingsOf('.baton/skills/bad.yaml', own(`${'k'.repeat(100_000)}: 1\n`));
    expect(long.join('\n').length).toBeLessThan(10_000);
  });

  test('a folder that is a link out of the project is not followed', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'baton-elsewhere-'));
    writeFileSync(join(elsewhere, 'spy.yaml'), good.replace('good', 'spy'));
    mkdirSync(join(elsewhere, 'agents'));
    mkdirSync(join(elsewhere, 'skills'));
    for (const [link, target] of [
      ['.baton/skills', elsewhere],
      ['.claude', elsewhere],
    ] as const) {
      mkdirSync(dirname(join(project, link)), { recursive: true });
      symlinkSync(target, join(project, link));
    }
    const { skills, findings } = await loadSkills(project);
    expect(skills.every(({ from }) => from === 'shipped')).toBe(true);
    expect(findings.map(formatDiagnostic)).toContainEqual(
      expect.stringMatching(/^\.baton\/skills:1:1: error: is ignored: .*symbolic link/),
    );
    expect(findings.filter(({ file }) => file.startsWith('.claude'))).toHaveLength(2);
    rmSync(elsewhere, { recursive: true });
  });

  test('the tool list of an agent is read in time that grows with its length', async () => {
    const began = process.cpuUsage().user;
    const findings = await findingsOf('.claude/agents/bad.md', agent(`tools: ${'a('.repeat(60_000)}`));
    expect(findings.length).toBeLessThan(50);
    // Trying every bracket up to the end of the list takes more than a minute.
    expect(process.cpuUsage().user - began).toBeLessThan(15_000_000);
  });
});

test('a worker leaves a bad file out and says so once', async () => {
  write('.baton/skills/good.yaml', good);
  write('.baton/skills/bad.yaml', own('input: &a {type: object, properties: {x: *a}}'));
  write('.claude/agents', 'a file');
  const said: string[] = [];
  const load = projectSkills(project, (line) => void said.push(line));
  expect((await load()).map(({ name }) => name)).toContain('good');
  await load();
  expect(said).toEqual([
    expect.stringMatching(/^warning: skill ignored: \.claude\/agents:1:1: error: is not a folder/),
    expect.stringMatching(/^warning: skill ignored: \.baton\/skills\/bad\.yaml:5:/),
  ]);
});

/** Ten levels of ten aliases each, which expand to ten billion values. */
function bomb(): string {
  const levels = Array.from({ length: 10 }, (_, at) => `b${at + 1}: &b${at + 1} [${`*b${at},`.repeat(10)}]`);
  return `b0: &b0 [x]\n${levels.join('\n')}\n`;
}
