import { formatDiagnostic, skillHash, type SkillFolder } from '../../../domain/skill';
import { readSkill } from '../../../definitions/skill/read-skill';

const own = (text: string, file = 'a.yaml'): SkillFolder => readSkill({ text, file, format: 'baton', from: 'project' });
const agent = (text: string): SkillFolder => readSkill({ text, file: 'x.md', format: 'claude-agent', from: 'project' });
const lines = ({ findings }: SkillFolder): string[] => findings.map(formatDiagnostic);

const good = 'name: a\ndescription: A.\nsystemPrompt: You.\ntools: [grep]\n';

describe('a skill file', () => {
  test('is the same skill in YAML and in JSON', () => {
    const json = JSON.stringify({ tools: ['grep'], systemPrompt: 'You.', description: 'A.', name: 'a' });
    expect(own(`# comment\n${good}`).skills[0]?.hash).toBe(own(json, 'a.json').skills[0]?.hash);
  });

  test('is reported with file, line, column and field of each error', () => {
    const text = `${good}slice:\n  - source: a.md\n    tag: one\n  - source: b.md\n    tag: 'no tag'\ncolour: red\n`;
    expect(lines(own(text))).toEqual([
      'a.yaml:9:5: error: slice[1].tag: must be a name of letters, digits, `_` and `-`',
      'a.yaml:10:1: error: colour: unknown field',
    ]);
  });

  test('is reported at its start for a missing field', () => {
    expect(lines(own('# comment\ndescription: A.\nsystemPrompt: You.\ntools: []\n'))[0]).toMatch(
      /^a\.yaml:2:1: error: name: /,
    );
  });

  test.each([
    ['broken YAML', 'name: "a\n', 'a.yaml'],
    ['a field twice', `${good}name: b\n`, 'a.yaml'],
    ['two documents', `${good}---\n${good}`, 'a.yaml'],
    ['nothing', '', 'a.yaml'],
    ['a comment in JSON', '{\n // no\n}', 'a.json'],
    [
      'an alias bomb',
      `${good}a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n`,
      'a.yaml',
    ],
  ])('is refused with %s', (_, text, file) => {
    const read = own(text, file);
    expect(read.skills).toEqual([]);
    expect(lines(read)[0]).toMatch(/^a\.\w+:\d+:\d+: error: /);
  });

  test('may have approval rules, one or several, whose patterns are checked', () => {
    const rules = [{ tool: 'grep', when: '^x' }];
    expect(own(`${good}approve: { tool: grep, when: '^x' }\n`).skills[0]?.skill.approve).toEqual(rules);
    expect(own(`${good}approve:\n  - tool: grep\n    when: '^x'\n`).skills[0]?.skill.approve).toEqual(rules);
    const bad = own(`${good}approve:\n  - tool: grep\n  - tool: grep\n    when: '(?=x)'\n`);
    expect(lines(bad)[0]).toMatch(
      /^a\.yaml:8:5: error: approve\[1\]\.when: "\(\?=x\)" is not a regular expression of RE2/,
    );
    expect(lines(own(`${good}approve: { tool: grep, when: '[' }\n`))[0]).toMatch(/^a\.yaml:5:\d+: error: approve/);
    expect(lines(own(`${good}approve: { tol: grep }\n`))[0]).toMatch(/^a\.yaml:5:\d+: error: approve/);
    expect(lines(own(good.replace('grep', 'ask_operator')))).toEqual([]);
  });

  test('may name a tool of a worker, with a notice', () => {
    const read = own(good.replace('grep', 'deploy'));
    expect(read.skills).toHaveLength(1);
    expect(lines(read)).toEqual(['a.yaml:4:9: notice: tools[0]: "deploy" is not built in: a worker must provide it']);
  });
});

describe('an agent of another program', () => {
  const front = (fields: string): string => `---\nname: r\ndescription: Reviews.\n${fields}---\n\nYou review.\n`;

  test('keeps its name, description, text, model and the tools that have an equivalent', () => {
    const [loaded] = agent(front('tools: Read, Grep, Glob, Edit\nmodel: opus\n')).skills;
    expect(loaded?.skill).toMatchObject({
      name: 'r',
      description: 'Reviews.',
      systemPrompt: 'You review.',
      tools: ['read_file', 'grep', 'list_files', 'edit_file'],
      model: { name: 'claude-opus-5-5' },
    });
    expect(loaded?.hash).toBe(skillHash(loaded!.skill));
  });

  test('is reported with the position of everything that has no equivalent', () => {
    const read = agent(front('tools: Read, Bash(git add:*, git commit:*), WebFetch\nmodel: gpt-9\ncolor: red\n'));
    expect(lines(read)).toEqual([
      'x.md:4:1: notice: tools: "Bash(git add:*, git commit:*)" is ignored: Baton has no equivalent tool',
      'x.md:4:1: notice: tools: "WebFetch" is ignored: Baton has no equivalent tool',
      'x.md:5:1: notice: model: "gpt-9" is ignored because it is not a known model: the run\'s model is used',
      'x.md:6:1: notice: color: is ignored: skills have no equivalent',
    ]);
    expect(read.skills[0]?.skill.tools).toEqual(['read_file']);
  });

  test('may run commands where a run grants them, unless it names patterns', () => {
    const read = agent(front('tools: Read, Bash\n'));
    expect(read.skills[0]?.skill).toMatchObject({ tools: ['read_file', 'run_command'] });
    expect(read.skills[0]?.skill).not.toHaveProperty('commands');
    expect(lines(read)).toEqual([]);
  });

  test('may list its tools as a YAML list, and gets none for an invalid list', () => {
    expect(agent(front('tools:\n  - Read\n  - read_artifact\n')).skills[0]?.skill.tools).toEqual([
      'read_file',
      'read_artifact',
    ]);
    const odd = agent(front('tools: { a: 1 }\n'));
    expect(odd.skills[0]?.skill.tools).toEqual([]);
    expect(lines(odd)[0]).toContain('is ignored');
  });

  test('gets every tool when it lists none, with a notice', () => {
    const read = agent(front(''));
    expect(read.skills[0]?.skill.tools).toContain('write_file');
    expect(lines(read)).toEqual(['x.md:2:1: notice: tools: is omitted: the skill gets every built-in tool']);
  });

  test('is read line by line when its frontmatter is not valid YAML', () => {
    const read = agent('---\nname: r\ndescription: Use it: now. Examples: a: b\ntools: Read\n---\nYou.\n');
    expect(read.skills[0]?.skill.description).toBe('Use it: now. Examples: a: b');
    expect(lines(read)[0]).toMatch(/^x\.md:3:\d+: notice: the frontmatter is not valid YAML/);
  });

  test('is an error without frontmatter or without a text', () => {
    expect(lines(agent('You.'))[0]).toMatch(/^x\.md:1:1: error: has no frontmatter/);
    expect(lines(agent('---\nname: r\ndescription: d\ntools: Read\n---\n'))).toEqual([
      'x.md:2:1: error: systemPrompt: must not be empty',
    ]);
  });

  test('may have Windows line breaks', () => {
    expect(agent(front('tools: Read\n').replace(/\n/g, '\r\n')).skills[0]?.skill.systemPrompt).toBe('You review.');
  });
});
