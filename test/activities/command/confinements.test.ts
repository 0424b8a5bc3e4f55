import { readlinkSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  bwrapArguments,
  isWithin,
  systemFolders,
  visiblePath,
} from '../../../activities/command/sandbox/bwrap-arguments';
import type { CommandRequest } from '../../../activities/command/sandbox/confinement';
import { containerLaunch } from '../../../activities/command/sandbox/container';
import { ContentCache } from '../../../activities/command/content-cache';
import { defaultCommandLimits } from '../../../activities/command/limits';
import { findSandbox, trySandbox } from '../../../temporal-config/node/find-sandbox';
import { describeSandbox } from '../../../temporal-config/sandbox';
import { processesNamed } from '../../support/processes';
import { closeRunners, CommandRunner } from './support';

afterEach(closeRunners);

const request: CommandRequest = {
  command: 'npm test',
  folder: '/scratch/work',
  cwd: 'packages/a',
  env: { TOKEN: 'x y' },
  network: false,
  limits: defaultCommandLimits,
};

describe('the command line of a container', () => {
  const launch = (network = false, program: 'docker' | 'podman' = 'docker') =>
    containerLaunch({ kind: 'container', program, image: 'node:22' }, { ...request, network }, 'baton-1', {
      PATH: '/usr/bin',
      DOCKER_HOST: 'unix:///run/docker.sock',
      ANTHROPIC_API_KEY: 'secret',
    });

  test('has no network, limits, a read-only system and no privileges', () => {
    const { program, args, env } = launch();
    expect(program).toBe('docker');
    expect(env).toEqual({ PATH: '/usr/bin', DOCKER_HOST: 'unix:///run/docker.sock' });
    expect(args.join(' ')).toBe(
      [
        'run --rm --init --name baton-1 --label baton=command --network none',
        '--memory 2147483648 --memory-swap 2147483648 --pids-limit 512 --ulimit core=0 --ulimit fsize=1073741824',
        '--read-only --tmpfs /tmp:rw,exec,mode=1777,size=536870912',
        `--cap-drop ALL --security-opt no-new-privileges --user ${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`,
        '--mount type=bind,source=/scratch/work,target=/workspace --workdir /workspace/packages/a',
        '--env HOME=/tmp --env TMPDIR=/tmp --env LANG=C.UTF-8 --env TERM=dumb --env CI=true --env TOKEN=x y',
        '--pull never --entrypoint /bin/sh node:22 -c npm test',
      ].join(' '),
    );
  });

  test('has network access only if it is granted, and the own user in podman', () => {
    expect(launch(true).args).not.toContain('--network');
    expect(launch(false, 'podman').args.join(' ')).toContain('--userns keep-id');
  });
});

describe('the arguments of bwrap', () => {
  const system = {
    folders: ['/usr', '/opt/node'],
    hidden: ['/usr/src/app', '/elsewhere'],
    files: { '/etc/passwd': '/s/passwd' },
  };

  test('hide what must not be read, and leave the network out unless it is granted', () => {
    const args = bwrapArguments(request, system, '0.8.0');
    expect(args).toEqual(
      expect.arrayContaining(['--unshare-all', '--die-with-parent', '--clearenv', '--disable-userns']),
    );
    expect(args).not.toContain('--share-net');
    expect(args.join(' ')).toContain('--tmpfs /usr/src/app');
    expect(args.join(' ')).not.toContain('/elsewhere');
    expect(args.join(' ')).toContain('--ro-bind /s/passwd /etc/passwd');
    expect(bwrapArguments({ ...request, network: true }, system, '0.6.1')).toContain('--share-net');
    expect(bwrapArguments(request, system, '0.6.1')).not.toContain('--disable-userns');
  });

  test('show the folder of Node.js, and nothing twice', () => {
    const folders = systemFolders(['/usr/share']);
    expect(folders.filter((folder) => isWithin(folder, '/usr'))).toEqual(['/usr']);
    expect(folders.some((folder) => isWithin(process.execPath, folder))).toBe(true);
    expect(visiblePath('/home/me/bin:/usr/games', ['/usr']).split(':')).toEqual(
      expect.arrayContaining(['/usr/games', '/usr/bin']),
    );
    expect(visiblePath('/home/me/bin', ['/usr'])).not.toContain('/home/me');
  });
});

describe('finding a sandbox', () => {
  test('says why there is none', async () => {
    expect(await findSandbox('off')).toEqual({ kind: 'none', reason: 'BATON_SANDBOX is off' });
    expect(await findSandbox('unsafe')).toEqual({ kind: 'unsafe' });
    expect(describeSandbox(await trySandbox('podman:x', { PATH: '/nowhere' }))).toContain('none: podman does not work');
  });
});

describe('without a sandbox', () => {
  test('a command runs, its changes are recorded, and no process is left', async () => {
    const runner = await CommandRunner.with({ 'a.txt': 'a\n' }, { sandbox: 'unsafe' });
    const { message } = await runner.run('cat a.txt; echo b > b.txt; (setsid sleep 97531 &) ; env');
    expect(message).toMatch(/^Exit code 0 after .*\n--- stdout\na\n/);
    expect(message).toContain('Created: "b.txt"');
    expect(message).not.toContain('npm_');
    expect(processesNamed('sleep 97531')).toEqual([]);
    const ended = await runner.run('sleep 97532', { timeout_seconds: 1 });
    expect(ended.message).toContain('it did not end in time');
    expect(processesNamed('sleep 97532')).toEqual([]);
  });

  test('a program that does not exist is an exit code, not a failure of the tool', async () => {
    const runner = await CommandRunner.with({}, { sandbox: 'unsafe' });
    expect((await runner.run('no-such-program')).message).toMatch(/^Exit code 127 after/);
  });
});

describe('scratch folders', () => {
  test('of workers that were killed are deleted by the next one, those of others are kept', async () => {
    const runner = await CommandRunner.with({}, { sandbox: 'unsafe' });
    const here = { host: hostname(), namespace: readlinkSync('/proc/self/ns/pid'), startedAt: '1' };
    const owners = {
      'worker-dead': { ...here, pid: process.pid },
      'worker-elsewhere': { ...here, pid: 1, host: 'elsewhere' },
      'worker-long-ago': { ...here, pid: 1, host: 'elsewhere' },
    };
    for (const [name, owner] of Object.entries(owners)) {
      await mkdir(join(runner.scratchDir, name, 'x'), { recursive: true });
      await writeFile(join(runner.scratchDir, name, 'owner.json'), JSON.stringify(owner));
    }
    const old = new Date(Date.now() - 2 * 86_400_000);
    await utimes(join(runner.scratchDir, 'worker-long-ago', 'owner.json'), old, old);
    await mkdir(join(runner.scratchDir, 'not-ours'));
    await runner.commands.cleanUp();
    expect(await readdir(runner.scratchDir)).toEqual(['not-ours', 'worker-elsewhere']);
  });

  test('are deleted, least recently used first, when they take too much room', async () => {
    const runner = await CommandRunner.with({}, { sandbox: 'unsafe', limits: { scratchBytes: 3_000_000 } });
    for (const agent of ['run/a', 'run/b', 'run/c']) {
      runner.files.agent = agent;
      await runner.run('mkdir -p node_modules; head -c 2000000 /dev/zero > node_modules/x');
      await runner.commands.area.settled();
    }
    const folders = (await readdir(await runner.commands.area.open())).filter((name) => /^[0-9a-f]{16}-/.test(name));
    expect(folders).toHaveLength(1);
    expect((await runner.run('ls node_modules')).message).toContain('x');
  });
});

describe('the cache of contents', () => {
  test('is emptied when it is full, and never gives out a part of a file', async () => {
    const runner = await CommandRunner.with({}, { sandbox: 'unsafe' });
    const folder = join(runner.scratchDir, 'cache');
    const cache = new ContentCache(folder, 4_000);
    const content = Buffer.alloc(900, 'x');
    let reads = 0;
    for (let index = 0; index < 12; index += 1) {
      const hash = String(index % 6).repeat(64);
      await cache.copyTo(join(runner.scratchDir, `copy-${index}`), { hash, bytes: 900, executable: false }, () => {
        reads += 1;
        return Promise.resolve(content);
      });
    }
    expect(reads).toBeGreaterThan(6);
    expect((await readdir(folder)).length).toBeLessThanOrEqual(4);
  });
});
