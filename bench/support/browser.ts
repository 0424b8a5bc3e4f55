import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { packageFolder } from '../../cli/package';
import { defaultCacheDir } from '../../temporal-config/dev-server/paths';

const usualPlaces = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The packaged Chromium, which the tests unpack: executable and environment; undefined before they have. */
function packaged(): { executablePath: string; env: Record<string, string> } | undefined {
  const manifest = join(packageFolder, 'node_modules', '@sparticuz', 'chromium', 'package.json');
  if (!existsSync(manifest)) return undefined;
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const folder = join(defaultCacheDir(process.env), `chromium-${version}`);
  const executablePath = join(folder, 'chromium');
  if (!existsSync(executablePath)) return undefined;
  const env = {
    LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    FONTCONFIG_FILE: join(folder, 'fonts', 'unpacked.conf'),
  };
  return { executablePath, env };
}

/** Starts Chromium: the one that BATON_CHROMIUM names, the packaged one, or one of the machine. */
export async function launchChromium(): Promise<Browser> {
  const named = process.env['BATON_CHROMIUM'];
  const installed = usualPlaces.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));
  const own = named ?? installed;
  const { executablePath, env } = packaged() ?? { executablePath: undefined, env: {} };
  const path = named ?? executablePath ?? own;
  if (path === undefined) throw new Error('No Chromium found. Run `npm test -- page` once, or set BATON_CHROMIUM.');
  const args = ['--no-sandbox', '--enable-precise-memory-info'];
  // Chromium sometimes leaves temporary files.
  const folder = await mkdtemp(join(tmpdir(), 'baton-chromium-'));
  const browser = await chromium.launch({
    executablePath: path,
    args,
    env: { ...process.env, ...(named === undefined ? env : {}), TMPDIR: folder },
  });
  browser.on('disconnected', () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return browser;
}
