import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defaultCacheDir } from '../../temporal-config/dev-server/paths';

/** A browser, and the environment that it needs. */
export interface Chromium {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The package unpacks itself below the temporary folder. With this runtime's name it brings the libraries that it needs along. */
const unpackEnvironment = { AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' };
const unpack = "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())";

/**
 * Returns the Chromium of the package `@sparticuz/chromium` that a project has, unpacked in the cache folder; undefined if
 * there is none for this machine.
 */
export function packagedChromium(project: string): Chromium | undefined {
  const manifest = join(project, 'node_modules', '@sparticuz', 'chromium', 'package.json');
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(manifest)) return undefined;
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const folder = join(defaultCacheDir(process.env), `chromium-${version}`);
  if (!existsSync(folder)) unpackTo(folder, project);
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

/** Two processes may do this at the same time. Each unpacks a copy, and the first one is kept. */
function unpackTo(folder: string, project: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  const copy = mkdtempSync(`${folder}-`);
  try {
    const env = { ...process.env, ...unpackEnvironment, TMPDIR: copy };
    execFileSync(process.execPath, ['--eval', unpack], { cwd: project, env, timeout: 120_000 });
    renameSync(copy, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
