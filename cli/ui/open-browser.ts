import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** How long the browser has to read the file. */
const readMs = 30_000;

/**
 * Opens an address in the browser of the desktop, if there is one. The address is passed in a file that only its owner
 * can read, because other users of the machine see the arguments of processes. Never fails.
 */
export async function openInBrowser(address: string, environment = process.env): Promise<void> {
  const opener = openerFor(process.platform, environment);
  if (opener === undefined) return;
  try {
    const folder = await mkdtemp(join(tmpdir(), 'baton-ui-'));
    const file = join(folder, 'open.html');
    await writeFile(file, redirectPage(address), { mode: 0o600 });
    const [program, ...args] = opener;
    const child = spawn(program, [...args, pathToFileURL(file).href], { stdio: 'ignore', detached: true });
    child.on('error', () => undefined);
    child.unref();
    setTimeout(() => void rm(folder, { recursive: true, force: true }).catch(() => undefined), readMs).unref();
    process.once('exit', () => {
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch {
        // Left to the system: the browser may still hold the file.
      }
    });
  } catch {
    // The address is printed in any case.
  }
}

/** The program that opens a file on this desktop; undefined where there is none to be seen. */
export function openerFor(
  platform: NodeJS.Platform,
  { DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION }: NodeJS.ProcessEnv,
): readonly [string, ...string[]] | undefined {
  if (SSH_CONNECTION !== undefined) return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['explorer'];
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/** A page that goes to an address at once. */
export function redirectPage(address: string): string {
  const target = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${target}"><title>baton</title><a href="${target}">baton ui</a>\n`;
}
