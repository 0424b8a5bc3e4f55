import { fork } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, say, type ScriptedCall, type ScriptedReply, useTool } from '../../../testing/scripted-model';
import { oddServer } from '../../support/mcp/servers';
import { batonBin, projectRoot, typescriptHook } from '../../support/paths';
import { until } from '../../support/until';
import { batonInProcess, type Printed } from '../support/in-process';
import { RunningCommand, start } from '../support/process';
import { Stand } from '../support/stand';

/** A window title, a color, an erased screen, text in reverse order, and invisible characters; all on one line. */
const line = '\u001b]0;owned\u0007\u001b[31mred\u009b2J\u202egnp.exe\u2066\u200bzero\ufeff';
const hostile = `${line}\rback\b\n\u0085next`;
const forbidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}](?<![\n\t])/u;

function play(call: ScriptedCall): ScriptedReply {
  if (call.systemText.includes('Be refused')) return fail(400, { message: hostile });
  if (call.systemText.includes('Be locked out')) return fail(401, { message: hostile });
  if (call.systemText.includes('PARENT PROMPT START')) return say(`Reported: ${hostile}`);
  if (call.systemText.includes('Ask first') && call.turn === 0)
    return useTool('ask_operator', { question: hostile, options: [`One ${line}`, `Two ${line}`] });
  const replies = [
    useTool('add_note', { text: hostile }, { text: hostile }),
    useTool('write_file', { path: 'notes.txt', content: `${hostile}\n` }),
    useTool('write_file', { path: 'file \u202etxt.js', content: 'x' }),
    useTool('write_artifact', { name: 'report\u200b.md', content: hostile }),
    useTool('read_file', { path: `missing ${line}` }),
    useTool('dispatch_subagents', {
      delegations: [
        { reason: `Look at ${line}.`, expected_result: line, may_delegate_further: 'no', recap_lines: [line] },
      ],
    }),
  ];
  return replies[call.turn] ?? say(`Done: ${hostile}`);
}

const skill = (name: string): string =>
  `name: ${name}\ndescription: ${JSON.stringify(`Evil ${hostile}`)}\nsystemPrompt: ${JSON.stringify(hostile)}\ntools: []\n`;

describe('text from models, goals, files and skills', () => {
  let stand: Stand;
  const ids = { completed: '', failed: '', parked: '', asking: '', approving: '' };
  const baton = (args: readonly string[], isScreen = false): Promise<Printed> =>
    batonInProcess(stand, args, { isScreen });

  beforeAll(async () => {
    stand = await Stand.start(play);
    for (const kind of Object.keys(ids)) Object.assign(ids, { [kind]: stand.newId() });
    const project = join(stand.folder, 'project', '.baton');
    await mkdir(join(project, 'skills'), { recursive: true });
    await mkdir(join(project, 'relays'));
    await writeFile(join(project, 'skills', 'evil.yaml'), skill('evil'));
    await writeFile(join(project, 'skills', `bad ${line.replace('/', '')}.yaml`), `${JSON.stringify(hostile)}: 1\n`);
    await writeFile(
      join(project, 'relays', 'evil.yaml'),
      `name: evil\ndescription: ${JSON.stringify(hostile)}\nsteps: [{ name: a, skill: evil, input: { goal: { value: ${JSON.stringify(hostile)} } } }]\n`,
    );
    const mcpServers = {
      odd: oddServer({ ODD_START: 'hostile' }),
      gone: { command: `no-such ${hostile}` },
      [`bad ${line}`]: { command: 1 },
    };
    await writeFile(join(stand.folder, 'mcp.json'), JSON.stringify({ mcpServers }));
    await mkdir(join(stand.folder, 'copy'));
    await mkdir(join(stand.folder, 'changed'));
    await writeFile(join(stand.folder, 'changed', 'file \u202etxt.js'), 'y');
    const begin = (id: string, goal: string, ...more: string[]): Promise<Printed> =>
      baton(['run', `${goal} ${hostile}`, '--id', id, '-w', join(stand.folder, 'workspace'), ...more]);
    expect((await begin(ids.parked, 'Be locked out', '--hold')).exitCode).toBe(0);
    expect((await begin(ids.asking, 'Ask first', '--ask')).exitCode).toBe(0);
    expect((await begin(ids.approving, 'Work', '--approve', 'add_note')).exitCode).toBe(0);
    expect((await begin(ids.failed, 'Be refused', '--follow')).exitCode).toBe(1);
    expect((await begin(ids.completed, 'Work', '--follow')).stdout).toContain('Done: \\u{1B}]0;owned');
    for (const id of [ids.parked, ids.asking, ids.approving])
      await until(async () => (await baton(['show', id, '--incident', 'i1'])).stdout.includes('owned') || undefined);
  });
  afterAll(() => stand.close());

  const ofRun = (id: string): string[][] => [
    ['show', id],
    ['tree', id, '--all'],
    ['why', id],
    ['tail', id],
    ['session', id],
    ['audit', id],
    ['artifacts', id],
    ['transcript', id],
    ['transcript', id, '--full'],
    ['compare', id, ids.completed],
    ['report', id, '--out', join(stand.folder, 'report.html')],
    ['report', id, '--plain', '--out', join(stand.folder, 'report.html')],
  ];
  const project = (): string => join(stand.folder, 'project');
  const everything = (): string[][] => [
    ...Object.values(ids).flatMap(ofRun),
    ['show', ids.completed, '--follow'],
    ['show', ids.failed, '--follow'],
    ['tree', ids.completed, '--follow'],
    ['run', 'Another goal', '--id', ids.completed],
    ['list', '--limit', '1000'],
    ['retry', '--query', `BatonRun = '${ids.parked}'`],
    ['steer', ids.parked, hostile, '--by', hostile],
    ['pause', ids.parked, '--note', hostile],
    ['resume', ids.parked, '--note', hostile],
    ['skills', 'list', '--dir', project()],
    ['skills', 'check', project()],
    ['skills', 'show', 'evil', '--dir', project()],
    ['relays', 'list', '--dir', project()],
    ['relays', 'check', project()],
    ['relays', 'show', 'evil', '--dir', project()],
    ...[ids.parked, ids.asking, ids.approving].map((id) => ['show', id, '--incident', 'i1']),
    ['show', ids.asking, '--incident', hostile],
    ['answer', ids.asking, hostile],
    ['approve', ids.approving, '--edit', hostile],
    ['mcp', 'list', '--mcp-config', join(stand.folder, 'mcp.json')],
    ['mcp', 'list', 'odd', '--mcp-config', join(stand.folder, 'mcp.json')],
    ['mcp', 'check', '--mcp-config', join(stand.folder, 'mcp.json')],
    ['mcp', 'check', hostile, '--mcp-config', join(stand.folder, 'mcp.json')],
    ['limits', 'set', 'claude-*', '--requests-per-minute', '5000', '--reason', hostile],
    ['limits', 'show', 'claude-*'],
    ['limits', 'show', line],
    ['limits', 'set', hostile, '--reset'],
    ['versions', '--deployment', line.replace('.', '')],
    ['versions', 'set-current', hostile, '--deployment', 'nothing'],
    ['apply', ids.completed, '--to', join(stand.folder, 'changed')],
    ['apply', ids.completed, '--to', join(stand.folder, 'copy')],
    ['apply', ids.completed, '--to', hostile],
    ['compose', '--input', hostile],
    ['show', hostile],
    [hostile],
  ];

  test('is printed without a character that a terminal would obey, by every command', async () => {
    let printed = '';
    const printedBy = new Map<string, string>();
    for (const args of everything()) {
      const [name = ''] = args;
      const { stdout, stderr } = await baton(args);
      expect({ args, found: forbidden.exec(stdout + stderr)?.[0] }).toEqual({ args, found: undefined });
      printed += stdout + stderr;
      printedBy.set(name, `${printedBy.get(name) ?? ''}${stdout}${stderr}`);
    }
    // The text was there to be printed.
    for (const words of ['Work \\u{1B}]0;owned', 'Evil \\u{1B}', '\\u{202E}gnp.exe', '{9B}2J'])
      expect(printed).toContain(words);
    const foreign = ['transcript', 'compare', 'mcp', 'limits', 'versions', 'apply', 'answer', 'approve'];
    expect(foreign.filter((name) => !/\\u\{(?:1B|202E)\}/.test(printedBy.get(name) ?? ''))).toEqual([]);
  });

  test('is escaped in JSON, and means the same', async () => {
    for (const args of everything().filter(([name = '']) =>
      [
        ...['show', 'list', 'tree', 'tail', 'session', 'why', 'audit', 'artifacts', 'skills', 'relays'],
        ...['transcript', 'compare', 'mcp', 'versions', 'apply'],
      ].includes(name),
    )) {
      const { stdout } = await baton([...args, '--json']);
      expect({ args, found: forbidden.exec(stdout)?.[0] }).toEqual({ args, found: undefined });
      for (const one of stdout.split('\n').filter(Boolean)) expect(() => void JSON.parse(one)).not.toThrow();
    }
    const shown = JSON.parse((await baton(['show', ids.completed, '--json'])).stdout) as { answer: string };
    expect(shown.answer).toBe(`Done: ${hostile}`);
  });

  test('is written exactly into a pipe, and made visible on a screen, where bytes are the result', async () => {
    for (const args of [
      ['prompt', ids.completed],
      ['diff', ids.completed],
    ]) {
      expect((await baton(args)).stdout).toContain(line);
      const onScreen = (await baton(args, true)).stdout;
      expect(forbidden.exec(onScreen)).toBeNull();
      expect(onScreen).toContain('\\u{1B}]0;owned');
    }
  });

  test('a delegation can be shown by the first letters of its id, and so can its prompt', async () => {
    const tree = JSON.parse((await baton(['tree', ids.completed, '--json'])).stdout) as {
      children: { workflowId: string }[];
    };
    const delegation = `${ids.completed}/${tree.children[0]!.workflowId.split('/').at(-1)!.slice(0, 8)}`;
    const shown = await baton(['show', delegation]);
    expect(shown.stdout).toMatch(/^status +completed$/m);
    expect(shown.stdout).toContain('Reported: \\u{1B}]0;owned');
    expect((await baton(['prompt', delegation])).stdout).toContain('<!-- PARENT PROMPT START -->');
  });

  test('is logged without such a character by the worker of a project, whatever it logs with', async () => {
    const BATON_TASK_QUEUE = `own-${stand.newId()}`;
    await writeFile(join(project(), '.mcp.json'), JSON.stringify({ mcpServers: { [`bad ${line}`]: { command: 1 } } }));
    const child = fork(join(projectRoot, 'test', 'support', 'process', 'own-worker.ts'), {
      cwd: project(),
      env: { ...process.env, ...stand.env, BATON_TASK_QUEUE },
      execArgv: ['-r', typescriptHook],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const worker = new RunningCommand(child);
    await worker.said('Worker on task queue');
    const ended = await stand.batonWith({ BATON_TASK_QUEUE }, 'run', 'Be refused', '--no-hold', '--follow');
    expect(ended.exitCode).toBe(1);
    const { stderr } = await worker.kill('SIGTERM');
    for (const words of ['MCP server "bad \\u{1B}]0;owned', 'skill ignored: ', 'Model.BadRequest'])
      expect(stderr).toContain(words);
    expect(stderr).toMatch(/Model\.BadRequest.*u\{202E\}gnp/);
    expect(forbidden.exec(stderr)?.[0]).toBeUndefined();
  });

  test('is not obeyed in a line that a real terminal redraws either', async () => {
    const command = `"${process.execPath}" "${batonBin}" tree ${ids.parked} --follow`;
    const follower = start('script', ['-qec', `stty rows 40 cols 200; ${command}`, '/dev/null'], stand.surroundings());
    await until(() => follower.stdout.includes('Model.Unauthorized') || undefined);
    expect((await baton(['abort', ids.parked, '--by', hostile, '--note', hostile])).exitCode).toBe(0);
    const { stdout } = await follower.ended;
    expect(stdout).toContain('\u001b[');
    // One bell of our own, for the incident.
    expect(stdout.match(/\u0007/g)).toHaveLength(1);
    expect(stdout.replace('\u0007', '')).not.toMatch(/\u001b\]0|\u0007|\u009b|\u202e|\u2066|\u200b|\ufeff/);
  });
});
