import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

const usualPlaces = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(
  (name) => `/usr/bin/${name}`,
);
/** Whoever names a browser wants that one: when it is not there, the tests fail instead of being skipped. */
const executablePath = process.env['BATON_CHROMIUM'] ?? usualPlaces.find((path) => existsSync(path) && runs(path));

/** Some systems have a script of that name which only says where to get the browser. */
function runs(path: string): boolean {
  return spawnSync(path, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0;
}

/** A browser is not part of the project's own set-up; without one, tests in it are skipped, with the reason in their name. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (executablePath !== undefined) describe(name, tests);
  else describe.skip(`${name} (skipped: no Chromium in /usr/bin; BATON_CHROMIUM names one elsewhere)`, tests);
}

/** One that finds no host but this machine, whatever a page asks for. */
export function launchBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
  return chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args });
}

/** For people to look at: BATON_SCREENSHOTS names the folder that they want them in. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['BATON_SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
