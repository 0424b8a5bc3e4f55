import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

const usualPlaces = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(
  (name) => `/usr/bin/${name}`,
);
/** A browser named in the environment must exist: if it does not, the tests fail instead of being skipped. */
const executablePath = process.env['BATON_CHROMIUM'] ?? usualPlaces.find((path) => existsSync(path) && runs(path));

/** Some systems have a script of that name which only says where to get the browser. */
function runs(path: string): boolean {
  return spawnSync(path, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0;
}

/** A browser is not part of the project's setup. Without one, its tests are skipped, with the reason in their name. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (executablePath !== undefined) describe(name, tests);
  else describe.skip(`${name} (skipped: no Chromium in /usr/bin; BATON_CHROMIUM names one elsewhere)`, tests);
}

/** Starts a browser that can reach only this machine, whatever a page requests. */
export function launchBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
  return chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args });
}

/** Saves screenshots for people, in the folder that BATON_SCREENSHOTS names. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['BATON_SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
