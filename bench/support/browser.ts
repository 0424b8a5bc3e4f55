import { existsSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { packageFolder } from '../../cli/package';
import { type Chromium, packagedChromium } from '../../test/support/packaged-chromium';

const usualPlaces = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The one that BATON_CHROMIUM names, the packaged one, or one of the machine. */
function findChromium(): Chromium {
  const named = process.env['BATON_CHROMIUM'];
  if (named !== undefined) return { executablePath: named, env: {} };
  const packaged = packagedChromium(packageFolder);
  if (packaged !== undefined) return packaged;
  const installed = usualPlaces.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));
  if (installed === undefined) throw new Error('No Chromium found. Install one, or set BATON_CHROMIUM to its path.');
  return { executablePath: installed, env: {} };
}

/** Starts Chromium. */
export async function launchChromium(): Promise<Browser> {
  const { executablePath, env } = findChromium();
  const args = ['--no-sandbox', '--enable-precise-memory-info'];
  // Chromium sometimes leaves temporary files.
  const folder = await mkdtemp(join(tmpdir(), 'baton-chromium-'));
  const browser = await chromium.launch({
    executablePath,
    args,
    env: { ...process.env, ...env, TMPDIR: folder },
  });
  browser.on('disconnected', () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return browser;
}
