import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { notifyOperators } from '../../../activities/operator/notify-operators';
import { notifySchema, type NotifySettings } from '../../../domain/operator';

const incident = {
  id: 'i1',
  kind: 'failure',
  type: 'Model.Refused',
  message: 'The model refused.',
  since: '2026-11-17T10:00:00.000Z',
  attempt: 1,
  step: 'turn 1',
  delegation: null,
  tool: null,
} as const;

const announce = (to: NotifySettings, env: Record<string, string> = {}): Promise<unknown> =>
  notifyOperators({ to, agent: 'run/r1', incident }, new AbortController().signal, env);

describe('announcing an incident', () => {
  test.each([
    ['https://hooks.example.com/a/b', true],
    ['http://127.0.0.1:9000/hook', true],
    ['http://localhost/hook', true],
    ['http://[::1]:9000', true],
    ['http://hooks.example.com/', false],
    ['http://127.0.0.1.example.com/', false],
    ['http://127.0.0.1\\@example.com/', false],
    ['https://user:secret@example.com/', false],
    ['https://example.com/?token=secret', false],
    ['file:///etc/passwd', false],
    ['', false],
  ])('a run may name the address %j: %s', (url, allowed) => {
    expect(notifySchema.safeParse({ url }).success).toBe(allowed);
  });

  test('an environment variable of the worker is named only with the prefix that is meant for it', () => {
    expect(notifySchema.safeParse({ env: 'BATON_NOTIFY_TEAM' }).success).toBe(true);
    expect(notifySchema.safeParse({ env: 'ANTHROPIC_API_KEY' }).success).toBe(false);
  });

  test('failures say what to correct and never contain the address', async () => {
    const to = { env: 'BATON_NOTIFY_TEAM' };
    await expect(announce(to)).rejects.toMatchObject({
      type: 'Notify.Rejected',
      message: 'BATON_NOTIFY_TEAM is not set for the worker',
    });
    for (const secret of ['http://example.com/secret', 'secret', 'ftp://secret']) {
      const failure = await announce(to, { BATON_NOTIFY_TEAM: secret }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ type: 'Notify.Rejected' });
      expect(String(failure)).not.toContain('secret');
    }
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const lost = { BATON_NOTIFY_TEAM: `http://127.0.0.1:${port}/secret` };
    const failure = await announce(to, lost).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      type: 'Notify.Unreachable',
      message: "the address in BATON_NOTIFY_TEAM can't be reached: ECONNREFUSED",
    });
  });

  test('a redirect and a refusal are final, an overload is not', async () => {
    let status = 302;
    const server = createServer((_, response) => response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const to = { url: `http://${host}/hook` };
    await expect(announce(to)).rejects.toMatchObject({ type: 'Notify.Rejected', message: `${host} answered 302` });
    status = 404;
    await expect(announce(to)).rejects.toMatchObject({ type: 'Notify.Rejected', message: `${host} answered 404` });
    status = 429;
    await expect(announce(to)).rejects.toMatchObject({ type: 'Notify.Unreachable', message: `${host} answered 429` });
    status = 200;
    await expect(announce(to)).resolves.toEqual({ status: 200 });
    await new Promise((resolve) => server.close(resolve));
  });
});
