import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DevServer, ensureDevServer } from '../../temporal-config/dev-server/dev-server';
import { type ScriptedModel, startScriptedModel } from '../../testing/scripted-model';
import { baton, type Ended, type RunningCommand, startBaton } from '../cli/support/process';
import { findInFiles, newWord, plantingScript, words, writeWorkspace } from '../support/planted-words';
import { until } from '../support/until';

const control = newWord('control');
const id = `secret-${randomBytes(4).toString('hex')}`;

describe('with encryption on', () => {
  let folder: string;
  let server: DevServer;
  let model: ScriptedModel;
  let worker: RunningCommand;
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-encrypted-'));
    for (const name of ['tmp', 'logs', 'elsewhere']) await mkdir(join(folder, name));
    await writeWorkspace(join(folder, 'elsewhere', 'workspace'));
    [server, model] = await Promise.all([
      ensureDevServer({ stateDir: join(folder, 'state') }),
      startScriptedModel(plantingScript),
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
    // The list is for everybody: an encrypted run hides only its own goal.
    const listed = await withoutKey('list');
    expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(listed.stdout).toMatch(new RegExp(`^${id} +completed .* \\(encrypted with a key that is not here\\)$`, 'm'));
  });

  test('a worker that lacks the key is what `why` and `doctor` report, in one sentence', async () => {
    const held = `${id}-held`;
    expect(await run('run', `Find ${words.goal} later.`, '--id', held, '--ask')).toMatchObject({ exitCode: 0 });
    await until(async () => ((await run('why', held)).stdout.includes(words.question) ? true : undefined));
    await worker.kill('SIGTERM');
    worker = startBaton(['worker'], { cwd: folder, env: { ...env, BATON_ENCRYPTION_KEYS: '' } });
    await worker.said('Worker on task queue');
    // Nobody can take it.
    const steering = startBaton(['steer', held, 'Go on.'], { cwd: folder, env });
    const lacks = 'This run is encrypted with the key "2026-11", which is not among the keys here';
    const why = await until(async () => {
      const { stdout } = await run('why', held);
      return stdout.includes(lacks) ? stdout : undefined;
    });
    expect(why).toContain('Start a worker that has this key in BATON_ENCRYPTION_KEYS');
    // Doctor says so although it lacks the key itself.
    for (const doctor of [await run('doctor'), await withoutKey('doctor')])
      expect(doctor.stdout).toContain(`✗ Workflow tasks: the task of run/${held} fails again and again: ${lacks}`);
    await worker.said(`WARN The workflow task of run/${held} failed and is being retried: ${lacks}`);
    await steering.kill('SIGTERM');
  });

  test('no word of it is in the database, the store, a log or a temporary file', async () => {
    // A run without encryption shows that words would be found.
    expect(await withoutKey('run', `Find ${control}.`, '--id', `${id}-plain`)).toMatchObject({ exitCode: 0 });
    await worker.kill('SIGTERM');
    await server.release();
    await writeFile(join(folder, 'logs', 'worker.log'), `${worker.stdout}${worker.stderr}`);
    const searched = ['state', 'tmp', 'logs'].map((name) => join(folder, name));
    const found = await findInFiles([...Object.values(words), control], searched);
    const database = join(folder, 'state', 'temporal', 'temporal.db');
    expect(found.get(control)?.some((path) => path.startsWith(database))).toBe(true);
    found.delete(control);
    expect([...found]).toEqual([]);
  });
});
