import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { type Chromium, packagedChromium } from './packaged-chromium';
import { projectRoot } from './paths';

const usualPlaces = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(
  (name) => `/usr/bin/${name}`,
);
const browser = findBrowser();

/** A browser named in the environment must exist: if it does not, the tests fail instead of being skipped. */
function findBrowser(): Chromium | undefined {
  const named = process.env['BATON_CHROMIUM'];
  if (named !== undefined) return { executablePath: named, env: {} };
  const installed = usualPlaces.map((executablePath) => ({ executablePath, env: {} }));
  return installed.find((each) => existsSync(each.executablePath) && runs(each)) ?? packaged();
}

function packaged(): Chromium | undefined {
  try {
    const chromium = packagedChromium(projectRoot);
    return chromium !== undefined && runs(chromium) ? chromium : undefined;
  } catch {
    return undefined;
  }
}

/** Some systems have a script of that name which only says where to get the browser. */
function runs({ executablePath, env }: Chromium): boolean {
  const options = { stdio: 'ignore', timeout: 20_000, env: { ...process.env, ...env } } as const;
  return spawnSync(executablePath, ['--version'], options).status === 0;
}

/** Without a browser, its tests are skipped, with the reason in their name. */
export function describeInBrowser(name: string, tests: () => void): void {
  const reason = 'no Chromium here, and the packaged one does not run; BATON_CHROMIUM names one';
  if (browser === undefined) describe.skip(`${name} (skipped: ${reason})`, tests);
  else describe(name, tests);
}

/** How long something in a page is waited for, in milliseconds. Playwright's 30 s are short on a busy machine. */
export const browserPatienceMs = 90_000;

/** Test id of a status in Temporal's Web UI: before version 2.54 and since. */
export const webUiStatus = /^(workflow|execution)-status$/;

/** Starts a browser that can reach only this machine, whatever a page requests. */
export function launchBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
  if (browser === undefined) return chromium.launch({ args });
  const { executablePath, env } = browser;
  return chromium.launch({ executablePath, args, env: { ...process.env, ...env } });
}

/** Saves screenshots for people, in the folder that BATON_SCREENSHOTS names. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['BATON_SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
