import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { authorizeWith } from '../../cli/encryption/authorize';
import { startCodecServer } from '../../cli/encryption/codec-server';
import type { HttpServer } from '../../cli/ui/http/http-server';
import { Contents } from '../../cli/encryption/contents';
import { PayloadService } from '../../cli/encryption/payloads';
import { workflowPage } from '../../cli/context';
import { KeyRing } from '../../encryption/key-ring';
import { say } from '../../testing/scripted-model';
import { baton, type RunningCommand, startBaton } from '../cli/support/process';
import { describeInBrowser, launchBrowser, screenshot, webUiStatus } from '../support/browser';
import { Harness, type RunHandle } from '../support/harness';

const uiUrl = process.env['BATON_TEST_UI'] ?? '';
const keys = new KeyRing([{ id: '2026-11', bytes: randomBytes(32) }]);
/** Too long for history, so the result of the run is a reference. */
const answer = `The lighthouse is the tallest. ${'It has stairs. '.repeat(400)}`;

describeInBrowser('the Web UI with `baton codec-server`', () => {
  let harness: Harness;
  let run: RunHandle;
  let server: HttpServer;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    harness = await Harness.start(() => say(answer), { encryption: keys });
    run = await harness.startRun({
      goal: 'Find the tallest house of the harbour.',
      model: { name: 'claude-sonnet-5-5', maxTokens: 8_000, window: 200_000 },
    });
    await run.result();
    const contents = new Contents(harness.store);
    let origin = '';
    const service = new PayloadService(
      keys,
      contents,
      (runId, { hash, bytes }) => `${origin}/content/${runId}/${hash}?bytes=${bytes}`,
    );
    const options = { host: '127.0.0.1', port: 0, origins: [new URL(uiUrl).origin], isLocal: true };
    server = await startCodecServer(service, contents, { ...options, authorize: await authorizeWith({}) });
    origin = `http://127.0.0.1:${server.port}`;
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await harness.close();
  });

  const main = () => page.locator('main').first();

  test('shows nothing of an encrypted run without it, and everything with it: input, summary, and what a reference points to', async () => {
    await page.goto(workflowPage(uiUrl, 'default', run.workflowId));
    await page.getByTestId(webUiStatus).getByText('Completed').waitFor();
    await main().getByText('runTurn').first().waitFor();
    expect(await main().innerText()).not.toMatch(/harbour|lighthouse/);

    await page.getByRole('button', { name: 'Configure Codec Server' }).click();
    const dialog = page.getByRole('dialog').filter({ hasText: 'Codec Server' });
    await dialog.getByText('Use my browser setting').click();
    await dialog.getByRole('textbox').fill(`http://127.0.0.1:${server.port}`);
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.goto(workflowPage(uiUrl, 'default', run.workflowId));
    await main().getByText('Find the tallest house of the harbour.').first().waitFor();
    await main().getByText('The lighthouse is the tallest.').first().waitFor();
    await screenshot(page, 'web-ui-decoded');
  });
});

describe('`baton codec-server` with access tokens', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let folder: string;
  let provider: Server;
  let command: RunningCommand;
  let address: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-codec-'));
    const jwks = { keys: [{ ...pair.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }] };
    provider = createServer((_, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(jwks)),
    );
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    const { port } = provider.address() as AddressInfo;
    const args = ['codec-server', '--listen', '127.0.0.1:0', '--audience', 'baton', '--issuer', 'https://id.example'];
    command = startBaton([...args, '--jwks', `http://127.0.0.1:${port}/keys`], { cwd: folder, env: {} });
    await command.printed('http://127.0.0.1:');
    address = command.stdout.trim();
  });
  afterAll(async () => {
    await command.kill('SIGTERM');
    await new Promise((resolve) => provider.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;
  const good = { aud: 'baton', iss: 'https://id.example', exp: inSeconds(3_600) };
  const decode = async (claims: object, key: KeyObject = pair.privateKey): Promise<number> => {
    const parts = [{ alg: 'ES256', kid: 'one' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const signature = sign('sha256', Buffer.from(parts.join('.')), { key, dsaEncoding: 'ieee-p1363' });
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${[...parts, signature.toString('base64url')].join('.')}`,
    };
    return (await fetch(`${address}/decode`, { method: 'POST', headers, body: '{"payloads":[]}' })).status;
  };

  test('accepts those of the identity provider, and no others', async () => {
    expect(await decode(good)).toBe(200);
    expect(await decode({ ...good, aud: 'another service' })).toBe(401);
    expect(await decode({ ...good, iss: 'https://evil.example' })).toBe(401);
    expect(await decode({ ...good, exp: inSeconds(-60) })).toBe(401);
    expect(await decode({ aud: good.aud, iss: good.iss })).toBe(401);
    expect(await decode(good, stranger.privateKey)).toBe(401);
    const body = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"payloads":[]}' };
    expect((await fetch(`${address}/decode`, body)).status).toBe(401);
  });

  test('refuses to be reached from other machines without any', async () => {
    const { exitCode, stderr } = await baton(['codec-server', '--listen', '0.0.0.0:0'], { cwd: folder, env: {} });
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('must have a token') as string,
    });
  });
});
