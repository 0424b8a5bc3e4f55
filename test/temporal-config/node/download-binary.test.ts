import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { findServerBinary } from '../../../temporal-config/dev-server/find-binary';
import { cachedBinaryPath } from '../../../temporal-config/dev-server/paths';
import { failureOf } from '../support/failure';
import { scratchFolder, writeFakeCli } from '../support/scratch';

let service: Server;
let url: string;
let answer: object;
const asked: string[] = [];

beforeAll(async () => {
  const folder = scratchFolder();
  writeFakeCli(join(folder, 'temporal'));
  execFileSync('tar', ['-czf', 'cli.tar.gz', 'temporal'], { cwd: folder });
  service = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/archive') response.end(readFileSync(join(folder, 'cli.tar.gz')));
    else if (request.url?.startsWith('/cli/')) response.end(JSON.stringify(answer));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});

afterAll(() => {
  service.closeAllConnections();
  service.close();
});

const env = (): { PATH: string; BATON_CACHE_DIR: string } => ({ PATH: '', BATON_CACHE_DIR: scratchFolder() });

test('the pinned release for this machine is downloaded into the cache, and found there the next time', async () => {
  answer = { archiveUrl: `${url}/archive`, fileToExtract: 'temporal' };
  const machine = env();
  const path = cachedBinaryPath(machine.BATON_CACHE_DIR);
  const downloadUrl = `${url}/cli`;
  expect(await findServerBinary({ env: machine, downloadUrl })).toMatchObject({ path, source: 'download' });
  expect(asked[0]).toMatch(/^\/cli\/v1\.8\.2\?arch=(amd64|arm64)&platform=\w+&format=tar\.gz$/);
  expect(readdirSync(dirname(path))).toEqual(['temporal']);
  expect(await findServerBinary({ env: machine, downloadUrl })).toMatchObject({ path, source: 'cache' });
});

test.each([
  [
    'leads out of its folder',
    () => ({ archiveUrl: `${url}/archive`, fileToExtract: '../temporal' }),
    'did not return a release',
  ],
  ['is none', () => ({ error: 'no such version' }), 'did not return a release'],
  ['leads nowhere', () => ({ archiveUrl: `${url}/gone`, fileToExtract: 'temporal' }), 'responded with status 404'],
])('a response that %s is refused, and the search continues', async (_, bad, reason) => {
  answer = bad();
  const machine = env();
  const failure = await failureOf(findServerBinary({ env: machine, downloadUrl: `${url}/cli` }));
  expect(failure.message).toMatch(new RegExp(`download from .*: .*${reason}\n.*\`go\``));
  expect(readdirSync(dirname(cachedBinaryPath(machine.BATON_CACHE_DIR)))).toEqual([]);
});
