import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../../../cli/context';
import { McpServers } from '../../../activities/mcp/servers';
import { readDefinitions } from '../../../activities/mcp/served-definitions';
import { importCommand } from '../../../cli/skill/import-command';
import type { ReadServed } from '../../../cli/skill/read-served';
import { readMcpServers } from '../../../definitions/mcp/read-servers';
import { loadSkills } from '../../../definitions/skill/load-skills';
import { McpError } from '../../../domain/mcp';
import { registryServer, skillsServer } from '../../support/mcp/servers';
import { tryCommand, type Outcome } from '../../support/try-command';

const folder = mkdtempSync(join(tmpdir(), 'baton-import-'));
const modes = ['honest', 'digest', 'size', 'front', 'dynamic', 'hostile', 'many', 'none'];
const config = join(folder, 'servers.json');
writeFileSync(
  config,
  JSON.stringify({
    mcpServers: {
      everything: registryServer('everything'),
      dead: { command: process.execPath, args: ['-e', 'process.exit(3)'] },
      ...Object.fromEntries(modes.map((mode) => [mode, skillsServer({ SKILLS: mode })])),
    },
  }),
);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

let projects = 0;
function newProject(): string {
  projects += 1;
  const project = join(folder, `project-${projects}`);
  mkdirSync(project);
  return project;
}

/** Reads in this process: the other needs a build. */
const read: ReadServed = async (request, { file, project }) => {
  const { servers } = await readMcpServers(file, process.env);
  const baseEnvironment = { PATH: process.env['PATH'] ?? '' };
  const pool = new McpServers(servers, { baseEnvironment, folder: project, log: () => undefined });
  try {
    return await pool.use(request.server, (connection) => readDefinitions(connection, request));
  } finally {
    await pool.close();
  }
};
const importHere: Parameters<typeof tryCommand>[0] = (terminal) => importCommand(terminal, read);

const importFrom = (project: string, server: string, ...args: string[]): Promise<Outcome> =>
  tryCommand(importHere, ['--mcp', server, '--mcp-config', config, '--dir', project, ...args]);
const filesIn = (project: string): string[] =>
  readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
const messageOf = ({ error }: Outcome): string => (error instanceof Error ? error.message : 'no error');

describe('baton skills import, prompts of a server of the registry', () => {
  const project = newProject();

  test('prints the files without writing them', async () => {
    const { out, warnings, error } = await importFrom(project, 'everything', '--dry-run');
    expect(error).toBeUndefined();
    expect(out).toContain('.baton/skills/simple-prompt.yaml: new, from the prompt "simple-prompt"');
    expect(out).toContain('systemPrompt: This is a simple prompt without arguments.');
    // Its arguments must have real values.
    expect(warnings).toEqual([
      expect.stringMatching(/^Skipped the prompt "resource-prompt": .* pass --arg name=value/),
      'Nothing was written: --dry-run.',
    ]);
    expect(filesIn(project)).toEqual([]);
  });

  test('writes skills with the arguments as input, which a worker reads', async () => {
    const { error } = await importFrom(project, 'everything', 'args-prompt', 'simple-prompt');
    expect(error).toBeUndefined();
    expect(filesIn(project)).toEqual(['args-prompt.yaml', 'simple-prompt.yaml']);
    const { skill, file } = (await loadSkills(project)).get('args-prompt');
    expect(file).toBe('.baton/skills/args-prompt.yaml');
    expect(skill).toMatchObject({
      systemPrompt: 'What\'s weather in (the value of "city" under INPUT), (the value of "state" under INPUT)?',
      tools: [],
      input: { properties: { city: { type: 'string' }, state: { type: 'string' } }, required: ['city'] },
      output: null,
      origin: {
        mcp: 'everything',
        prompt: 'args-prompt',
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as unknown,
        version: '2.0.0',
      },
    });
  });

  test('changes nothing the second time, and replaces an edited file only with --force', async () => {
    const path = join(project, '.baton/skills/args-prompt.yaml');
    const written = readFileSync(path, 'utf8');
    expect((await importFrom(project, 'everything', 'args-prompt')).out).toContain('args-prompt.yaml: unchanged');
    writeFileSync(path, written.replace('tools: []', 'tools: [grep]'));
    const refused = await importFrom(project, 'everything', 'args-prompt');
    expect(messageOf(refused)).toBe(
      'Nothing was imported: prompt "args-prompt": .baton/skills/args-prompt.yaml defines a skill "args-prompt" already.',
    );
    expect(readFileSync(path, 'utf8')).toContain('tools: [grep]');
    expect((await importFrom(project, 'everything', 'args-prompt', '--force')).out).toContain('changed');
    expect(readFileSync(path, 'utf8')).toBe(written);
  });

  test('gives arguments a fixed value, and says what to do about wrong ones', async () => {
    const given = ['--arg', 'resourceType=Text', '--arg', 'resourceId=1'];
    const { out, error } = await importFrom(project, 'everything', 'resource-prompt', '--json', ...given);
    expect(error).toBeUndefined();
    expect(JSON.parse(out)).toMatchObject([{ name: 'resource-prompt', kind: 'prompt', status: 'new' }]);
    const { skill } = (await loadSkills(project)).get('resource-prompt');
    expect(Object.keys(skill.input.properties ?? {})).toEqual(['goal']);
    expect(messageOf(await importFrom(project, 'everything', 'resource-prompt', '--arg', 'x'))).toContain(
      '--arg name=value',
    );
  });

  test('names what is wrong with the request, and writes nothing', async () => {
    const other = newProject();
    expect(messageOf(await importFrom(other, 'everything', 'argsprompt'))).toMatch(
      /has no prompt or skill "argsprompt"\. Did you mean "args-prompt"\?/,
    );
    expect((await importFrom(other, 'nothing')).error).toMatchObject({ type: 'Mcp.UnknownServer' });
    expect((await importFrom(other, 'dead')).error).toMatchObject({ type: 'Mcp.Unavailable' });
    expect(messageOf(await importFrom(other, 'none'))).toContain('has no prompts and no skills');
    expect(messageOf(await importFrom(join(other, 'missing'), 'everything'))).toContain('is not a folder');
    const without = await tryCommand(importHere, ['--mcp', 'everything', '--dir', other]);
    expect(messageOf(without)).toMatch(/^The file .*\.mcp\.json with MCP servers does not exist\.$/);
    expect(filesIn(other)).toEqual([]);
  });
});

describe('baton skills import, skills that a server serves', () => {
  test('writes a verified skill, with its digest and version, and only the tools that Baton has', async () => {
    const project = newProject();
    const { out, error } = await importFrom(project, 'honest', 'code-review');
    expect(error).toBeUndefined();
    expect(out).toContain('its other files are not imported: skill://code-review/references/RULES.md');
    expect(out).toContain('license is ignored');
    const { skill } = (await loadSkills(project)).get('code-review');
    expect(skill).toMatchObject({
      description: 'Reviews a change for mistakes.',
      systemPrompt: '# Review\n\nLook for ${mistakes}. See references/RULES.md.',
      origin: { mcp: 'honest', skill: 'skill://code-review/SKILL.md', version: '1.2.3' },
    });
    expect(skill.tools).toEqual(expect.arrayContaining(['read_file', 'grep']));
    expect(skill.tools).not.toContain('write_file');
    expect(skill.tools).not.toContain('run_command');
  });

  test('never replaces a shipped skill without --force, and imports only one of two with the same name', async () => {
    const project = newProject();
    expect(messageOf(await importFrom(project, 'honest', 'planner', '--skills'))).toContain(
      'skill "planner": Baton ships a skill "planner" already',
    );
    expect(messageOf(await importFrom(project, 'honest', 'planner', '--force'))).toContain(
      'prompt "planner" would have the same name',
    );
    expect(filesIn(project)).toEqual([]);
    const { out, error } = await importFrom(project, 'honest', 'planner', '--skills', '--force');
    expect(error).toBeUndefined();
    expect(out).toContain(
      'it lists no tools, so it gets those that only read: list_files, read_file, grep, read_artifact',
    );
    expect((await loadSkills(project)).get('planner')).toMatchObject({ from: 'project' });
  });

  test.each([
    [
      'digest',
      /The skill "code-review" of the MCP server "digest" was refused: .* has digest sha256:[0-9a-f]{64}; the skill entry lists sha256:0{64}\. Nothing was imported\./,
    ],
    ['size', /is \d+ bytes; the skill entry lists \d+/],
    ['front', /frontmatter .* differs/],
    ['dynamic', /does not publish digests/],
  ])('refuses a skill that is not what the server publishes (%s)', async (mode, message) => {
    const project = newProject();
    const { error } = await importFrom(project, mode);
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({ type: 'Mcp.SkillUnverified', message: expect.stringMatching(message) as unknown });
    expect(filesIn(project)).toEqual([]);
  });
});

describe('baton skills import, from a hostile server', () => {
  const project = newProject();
  test('writes only what can be reviewed, and only into the folder of skills', async () => {
    const before = filesIn(folder);
    const { warnings, error } = await importFrom(project, 'hostile');
    expect(error).toBeUndefined();
    const skipped = warnings.filter((line) => line.startsWith('Skipped')).join('\n');
    expect(skipped).toContain('"hidden": it contains a character that cannot be seen (U+E0069, line 1)');
    expect(skipped).toContain('"controls": it contains a character that cannot be seen (U+0007, line 1)');
    expect(skipped).toContain('"huge": its text has 1000000 bytes, more than 131072');
    expect(skipped).toContain('"empty": it has no text');
    expect(skipped).toContain('"picture": it has no text');
    expect(skipped).toContain(
      '"nonsense": the server did not return it: The MCP server "hostile" sent an invalid answer',
    );
    expect(skipped).toContain('"error": the server did not return it');
    expect(skipped).not.toContain('abcdefghijklmnop');
    expect(skipped).toContain('"twice": the server describes it wrongly: arguments: has an argument twice');
    expect(skipped).not.toContain('\u001B');
    const written = filesIn(project);
    expect(written).toEqual(readdirSync(join(project, '.baton/skills')).sort());
    expect(written).toEqual(['C-windows.yaml', 'escape-..-x.yaml', 'etc-passwd.yaml', 'template.yaml', 'yaml.yaml']);
    expect(filesIn(folder)).toEqual([...before, ...written].sort());
  });

  test('wrote files from which exactly that is read', async () => {
    const { findings, get } = await loadSkills(project);
    expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
    expect(get('template').skill.systemPrompt).toBe('Use ${goal} and ${skill_input} and #{x}.');
    expect(get('yaml').skill).toMatchObject({ name: 'yaml', origin: { mcp: 'hostile', prompt: 'yaml' } });
  });

  test('does not write thousands of files', async () => {
    const other = newProject();
    expect(messageOf(await importFrom(other, 'many'))).toContain(
      'has 3000 prompts and skills, and at most 100 are imported at once',
    );
    expect((await importFrom(other, 'many', 'prompt-2999')).error).toBeUndefined();
    expect(filesIn(other)).toEqual(['prompt-2999.yaml']);
  });

  test('follows no link out of the project', async () => {
    const other = newProject();
    const outside = newProject();
    symlinkSync(outside, join(other, '.baton'));
    const { error } = await importFrom(other, 'everything', 'simple-prompt');
    expect(error).toBeInstanceOf(CliError);
    expect((error as Error).message).toBe('Nothing was imported: .baton is a symbolic link.');
    expect(existsSync(join(outside, 'skills'))).toBe(false);
  });
});
