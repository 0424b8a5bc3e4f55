import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DevServer, ensureDevServer } from '../../temporal-config/dev-server/dev-server';
import { fail, say, type ScriptedModel, startScriptedModel, useTool, useTools } from '../../testing/scripted-model';
import { baton, type Ended, type RunningCommand, startBaton } from '../cli/support/process';
import { batch, reasonOf } from '../support/batches';
import { byDepth } from '../support/delegation-script';
import { until } from '../support/until';

/** A different word for every place where contents can be. None of them may be found anywhere. */
const places = [
  ...['goal', 'answer', 'filename', 'filetext', 'newfile', 'newtext', 'artifact', 'report', 'note', 'missing'],
  ...['question', 'reply', 'steering', 'errand', 'refused', 'childsaid', 'failure'],
] as const;
const words = Object.fromEntries(places.map((place) => [place, `${place}${randomBytes(5).toString('hex')}`])) as Record<
  (typeof places)[number],
  string
>;
const control = `control${randomBytes(5).toString('hex')}`;
const id = `secret-${randomBytes(4).toString('hex')}`;

const script = byDepth(
  ({ turn }) => {
    if (turn === 0)
      return useTools([
        { name: 'read_file', input: { path: `${words.filename}.txt` } },
        { name: 'write_file', input: { path: `${words.newfile}.txt`, content: words.newtext } },
        { name: 'edit_file', input: { path: `${words.missing}.txt`, old_text: 'a', new_text: 'b' } },
        { name: 'write_artifact', input: { name: `${words.artifact}.md`, content: words.report } },
        { name: 'add_note', input: { text: words.note } },
      ]);
    if (turn === 1) return useTool('ask_operator', { question: `Which ${words.question}?` });
    if (turn === 2) return useTool('dispatch_subagents', batch([words.errand, words.refused]));
    return say(`It is ${words.answer}.`);
  },
  (call) =>
    reasonOf(call).includes(words.refused) ? fail(400, { message: `no ${words.failure}` }) : say(words.childsaid),
);

describe('with encryption on', () => {
  let folder: string;
  let server: DevServer;
  let model: ScriptedModel;
  let worker: RunningCommand;
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-encrypted-'));
    for (const name of ['tmp', 'logs', 'elsewhere']) await mkdir(join(folder, name));
    await mkdir(join(folder, 'elsewhere', 'workspace'));
    await writeFile(join(folder, 'elsewhere', 'workspace', `${words.filename}.txt`), words.filetext);
    [server, model] = await Promise.all([
      ensureDevServer({ stateDir: join(folder, 'state') }),
      startScriptedModel(script),
    ]);
    const made = await baton(['keys', 'new', '2026-11', '--out', join(folder, 'elsewhere', 'key')], {
      cwd: folder,
      env: {},
    });
    expect(made).toMatchObject({ exitCode: 0 });
    env = {
      TMPDIR: join(folder, 'tmp'),
      BATON_STATE_DIR: join(folder, 'state'),
      BATON_LOG_LEVEL: 'INFO',
      ANTHROPIC_API_KEY: 'scripted',
      ANTHROPIC_BASE_URL: model.baseUrl,
      BATON_ENCRYPTION_KEYS: made.stdout.trim().replace(/^BATON_ENCRYPTION_KEYS=/, ''),
    };
    worker = startBaton(['worker'], { cwd: folder, env });
    await worker.said('Worker on task queue');
  });
  afterAll(async () => {
    await worker.kill('SIGTERM');
    await model.close();
    await server.release();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (...args: readonly string[]): Promise<Ended> => baton(args, { cwd: folder, env });
  const withoutKey = (...args: readonly string[]): Promise<Ended> =>
    baton(args, { cwd: folder, env: { ...env, BATON_ENCRYPTION_KEYS: '' } });

  test('a run with delegations, tools, questions and failures works as without', async () => {
    const workspace = join(folder, 'elsewhere', 'workspace');
    const started = await run('run', `Find ${words.goal}.`, '-w', workspace, '--id', id, '--ask', '--no-hold');
    expect(started).toMatchObject({ exitCode: 0 });
    await until(async () => ((await run('why', id)).stdout.includes(words.question) ? true : undefined));
    expect(await run('steer', id, `Mind ${words.steering}.`)).toMatchObject({ exitCode: 0 });
    expect(await run('answer', id, `The ${words.reply}.`)).toMatchObject({ exitCode: 0 });
    const followed = await run('show', id, '--follow');
    expect(followed).toMatchObject({ exitCode: 0 });
    expect(followed.stdout).toContain(words.answer);
  });

  test('who has the key reads everything; who does not is told so in one sentence', async () => {
    const [audit, tail, transcript, report] = await Promise.all([
      run('audit', id),
      run('tail', id),
      run('transcript', id),
      run('report', id, '--plain', '--out', join(folder, 'elsewhere', 'report.html')),
    ]);
    for (const { exitCode, stderr } of [audit, tail, transcript, report])
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(tail.stdout).toContain(words.failure);
    for (const word of [words.steering, words.reply, words.filetext]) expect(transcript.stdout).toContain(word);
    expect(await readFile(join(folder, 'elsewhere', 'report.html'), 'utf8')).toContain(words.report);

    const refused = await Promise.all(
      ['audit', 'tail', 'transcript', 'show', 'report'].map((command) => withoutKey(command, id)),
    );
    for (const { exitCode, stderr } of refused) {
      expect(stderr).toMatch(/is encrypted with the key "2026-11", which is not among the keys here/);
      expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
      expect(exitCode).toBe(3);
    }
    const doctor = await run('doctor');
    expect(doctor.stdout).toMatch(/✓ Encryption: on, with the key 2026-11; the newest run, .* with the key 2026-11/);
    expect((await withoutKey('doctor')).stdout).toContain('✗ Encryption: off; the newest run');
  });

  test('no word of it is in the database, the store, a log or a temporary file', async () => {
    // A run without encryption shows that words would be found.
    expect(await withoutKey('run', `Find ${control}.`, '--id', `${id}-plain`)).toMatchObject({ exitCode: 0 });
    await worker.kill('SIGTERM');
    await server.release();
    await writeFile(join(folder, 'logs', 'worker.log'), `${worker.stdout}${worker.stderr}`);
    const found = new Map<string, string[]>();
    for (const name of ['state', 'tmp', 'logs'])
      for (const path of await filesIn(join(folder, name))) {
        const bytes = await readFile(path);
        for (const word of [...Object.values(words), control])
          if (bytes.includes(word) || path.includes(word)) found.set(word, [...(found.get(word) ?? []), path]);
      }
    const database = join(folder, 'state', 'temporal', 'temporal.db');
    expect(found.get(control)?.some((path) => path.startsWith(database))).toBe(true);
    found.delete(control);
    expect([...found]).toEqual([]);
  });
});

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
