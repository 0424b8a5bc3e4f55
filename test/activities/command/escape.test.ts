import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processesNamed } from '../../support/processes';
import { describeInSandbox } from '../../support/sandbox';
import { closeRunners, CommandRunner } from './support';

afterEach(closeRunners);

describeInSandbox('a command in the sandbox', () => {
  test('reads and writes nothing outside of its copy of the workspace', async () => {
    const runner = await CommandRunner.with({ 'a.txt': 'a\n' });
    const secret = join(runner.scratchDir, 'secret.txt');
    await writeFile(secret, 'secret');
    const { message } = await runner.run(
      [
        `cat ${secret} ${runner.scratchDir}/worker-*/owner.json`,
        'ls /root /home /etc/shadow /run /var/lib /sys',
        'touch /usr/x /etc/x /x /dev/x /proc/x ../x',
        'cat /proc/sys/kernel/printk_ratelimit > /proc/sys/kernel/printk_ratelimit && echo ESCAPED',
        'echo x > /proc/sysrq-trigger && echo ESCAPED',
        'ln -s / out && cat out/etc/shadow && echo ESCAPED',
        'mknod disk b 254 0 && echo ESCAPED',
        'mount -t tmpfs none /tmp && echo ESCAPED',
        'unshare -Ur true && echo ESCAPED',
        'echo "uid $(id -u)"; grep CapEff /proc/self/status; cat /etc/passwd',
      ].join('\n'),
    );
    expect(message).not.toContain('ESCAPED');
    expect(message).toContain('uid 1000\nCapEff:\t0000000000000000\nagent:x:1000');
    for (const path of ['/root', '/home', '/etc/shadow', '/run', '/var/lib', '/sys'])
      expect(message).toContain(`cannot access '${path}'`);
    for (const path of ['/usr/x', '/etc/x', '/x', '/dev/x', '../x'])
      expect(message).toMatch(new RegExp(`cannot touch '${path}': (?:Read-only file system|Permission denied)`));
    expect(message).not.toMatch(/^secret/m);
    await expect(stat(join(runner.scratchDir, 'x'))).rejects.toThrow('ENOENT');
  });

  test("sees neither the worker's environment nor other processes", async () => {
    process.env['BATON_TEST_SECRET'] = 'hunter2';
    process.env['BATON_TEST_ALLOWED'] = 'allowed value';
    try {
      const runner = await CommandRunner.with({}, { env: ['BATON_TEST_ALLOWED'] });
      const { message } = await runner.run(
        'env; cat /proc/*/environ | tr "\\0" "\\n"; echo "processes: $(ls -d /proc/[0-9]* | wc -l)"; kill -9 -1',
        {},
        { env: ['BATON_TEST_ALLOWED'] },
      );
      expect(message).not.toContain('hunter2');
      expect(message).toContain('BATON_TEST_ALLOWED=allowed value');
      expect(Number(/processes: (\d+)/.exec(message)?.[1])).toBeLessThan(10);
      const refused = await runner.run('true', {}, { env: ['BATON_TEST_SECRET'] }).catch((error: unknown) => error);
      expect(refused).toMatchObject({ type: 'Input.Invalid', field: 'commands.env' });
    } finally {
      delete process.env['BATON_TEST_SECRET'];
      delete process.env['BATON_TEST_ALLOWED'];
    }
  });

  test('has network access only if it is granted', async () => {
    const server = createServer((_, response) => response.end('reached')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const runner = await CommandRunner.with({});
      const fetching = `node -e 'fetch("http://127.0.0.1:${port}").then((r) => r.text()).then(console.log, (e) => console.log("failed", e.cause.code))'`;
      expect((await runner.run(fetching)).message).toContain('failed ECONNREFUSED');
      expect((await runner.run(fetching, {}, { network: true })).message).toContain('reached');
    } finally {
      server.close();
    }
  });

  test('changes neither the store nor what later commands get by writing to a file', async () => {
    const runner = await CommandRunner.with({ 'a.txt': 'original\n' });
    await runner.run('printf overwrite > a.txt; ln a.txt b.txt');
    runner.files.changes = [];
    const cached = join(await runner.commands.area.open(), 'cache');
    for (const folder of await readdir(cached))
      for (const name of await readdir(join(cached, folder))) {
        const file = join(cached, folder, name);
        expect(await readFile(file, 'utf8')).toBe('original\n');
        expect((await stat(file)).nlink).toBe(1);
      }
    expect(await runner.read('a.txt')).toBe('original\n');
    expect((await runner.run('cat a.txt')).message).toContain('original\n');
  });

  test('can start only so many processes', async () => {
    const runner = await CommandRunner.with({}, { limits: { processes: 64 } });
    const { message, isError } = await runner.run('f() { f | f & }; f; sleep 7531', { timeout_seconds: 4 });
    expect(isError).toBe(true);
    expect(message).toMatch(/fork|it started too many processes|did not end in time/);
    expect(processesNamed('7531')).toEqual([]);
  });

  test('can use only so much memory', async () => {
    const runner = await CommandRunner.with({}, { limits: { memoryBytes: 200 * 1024 * 1024 } });
    const { message, isError } = await runner.run(
      `node -e 'const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1))'`,
      { timeout_seconds: 20 },
    );
    expect(isError).toBe(true);
    expect(message).not.toContain('did not end in time');
  });

  test('is ended when it writes too much output', async () => {
    const runner = await CommandRunner.with({});
    const { message } = await runner.run('head -c 1000000000 /dev/zero | tr "\\0" "x"');
    expect(message).toMatch(/^The command was ended after \d+\.\d s: it wrote too much output \(limit: 10 MiB\)\./);
  });

  test('can write only so much to /tmp, and finds it empty the next time', async () => {
    const runner = await CommandRunner.with({}, { limits: { tmpBytes: 1024 * 1024 } });
    const { message } = await runner.run('head -c 2000000 /dev/zero > /tmp/a; head -c 2000000 /dev/zero > /dev/shm/a');
    expect(message.match(/No space left on device/g)).toHaveLength(2);
    expect((await runner.run('echo "left: $(ls -A /tmp)$(ls -A /dev/shm)."')).message).toContain('left: .');
  });

  test('leaves no process behind, whatever it starts', async () => {
    const runner = await CommandRunner.with({});
    const { message, changes } = await runner.run(
      '(setsid nohup sh -c "sleep 1; echo late > late.txt; sleep 600" >/dev/null 2>&1 &); echo done',
    );
    expect(message).toContain('done');
    expect(changes).toEqual([]);
    expect((await runner.run('sleep 1.5; ls')).message).not.toContain('late.txt');
  });

  test('is ended with everything it started when its signal is aborted', async () => {
    const runner = await CommandRunner.with({});
    const abort = new AbortController();
    runner.files.signal = abort.signal;
    const running = runner.run('trap "" TERM; sleep 4321 & sleep 4321; sleep 4321');
    setTimeout(() => {
      abort.abort(new Error('cancelled'));
    }, 500);
    const since = Date.now();
    await expect(running).rejects.toThrow('cancelled');
    expect(Date.now() - since).toBeLessThan(5_000);
    expect(processesNamed('4321')).toEqual([]);
  });
});
