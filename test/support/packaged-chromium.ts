import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defaultCacheDir } from '../../temporal-config/dev-server/paths';
import { projectRoot } from './paths';

/** A browser, and the environment that it needs. */
export interface Chromium {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The package unpacks itself below the temporary folder. With this runtime's name it brings the libraries that it needs along. */
const unpackEnvironment = { AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' };
const unpack = "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())";

/** Returns the Chromium of the package `@sparticuz/chromium`, unpacked in the cache folder; undefined if there is none. */
export function packagedChromium(): Chromium | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const { version } = jest.requireActual<{ version: string }>(
    join(projectRoot, 'node_modules', '@sparticuz', 'chromium', 'package.json'),
  );
  const folder = join(defaultCacheDir(process.env), `chromium-${version}`);
  if (!existsSync(folder)) unpackTo(folder);
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_FILE: configureFonts(folder) },
  };
}

/** The package's own configuration expects its fonts in another folder. Without any font, Chromium crashes. */
function configureFonts(folder: string): string {
  const file = join(folder, 'fonts', 'unpacked.conf');
  const dirs = [join(folder, 'fonts'), '/usr/share/fonts'].map((dir) => `<dir>${dir}</dir>`).join('');
  writeFileSync(file, `<fontconfig>${dirs}<cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>\n`);
  return file;
}

/** Two test files may do this at the same time. Each unpacks a copy, and the first one is kept. */
function unpackTo(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  const copy = mkdtempSync(`${folder}-`);
  try {
    const env = { ...process.env, ...unpackEnvironment, TMPDIR: copy };
    execFileSync(process.execPath, ['--eval', unpack], { cwd: projectRoot, env, timeout: 120_000 });
    if (!existsSync(folder)) renameSync(copy, folder);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
