import { createWriteStream } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { makeFolder } from '../node/make-folder';
import type { Log } from '../node/setup-error';
import { pinnedCliVersion } from './paths';
import { runProgram } from './processes';

/** The service that Temporal's SDKs download their test servers from. */
export const defaultDownloadUrl = 'https://temporal.download/cli';

const connectLimitMs = 15_000;
const silenceLimitMs = 30_000;

const releaseSchema = z.object({
  archiveUrl: z.url({ protocol: /^https?$/ }),
  // Used as an argument and a path, so it must not be an option, an absolute path or contain `..`.
  fileToExtract: z.string().regex(/^(?!.*\.\.)\w[\w./-]*$/),
});

/** Options of `downloadBinary`. */
export interface DownloadOptions {
  readonly url: string;
  readonly target: string;
  readonly log: Log;
}

/**
 * Downloads the CLI from the SDKs' download service, with the same requests that the SDK's core makes. The core itself
 * can't be used: it does not return a path and has no timeout.
 */
export async function downloadBinary({ url, target, log }: DownloadOptions): Promise<void> {
  const release = await findRelease(url);
  const folder = `${target}.download`;
  await rm(folder, { recursive: true, force: true });
  await makeFolder(folder);
  try {
    log(`Downloading the Temporal CLI ${pinnedCliVersion} (once).`);
    const archive = join(folder, 'cli.tar.gz');
    await save(release.archiveUrl, archive);
    await runProgram('tar', ['-xzf', archive, '-C', folder, release.fileToExtract], { timeoutMs: 120_000 });
    const extracted = join(folder, release.fileToExtract);
    await chmod(extracted, 0o755);
    await rename(extracted, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function findRelease(url: string): Promise<z.infer<typeof releaseSchema>> {
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  if (arch === undefined) throw new Error(`no release for ${process.arch}`);
  const query = new URLSearchParams({ arch, platform: process.platform, format: 'tar.gz' });
  const response = await request(`${url}/v${pinnedCliVersion}?${query.toString()}`);
  const release = releaseSchema.safeParse(await response.json());
  if (!release.success) throw new Error('the service did not return a release');
  // The service provides no checksum, so the download must at least be over https.
  if (url.startsWith('https:') && !release.data.archiveUrl.startsWith('https:'))
    throw new Error('the archive URL does not use https');
  return release.data;
}

async function save(url: string, file: string): Promise<void> {
  const { body } = await request(url);
  if (!body) throw new Error('the archive is empty');
  const silence = new AbortController();
  const timer = setTimeout(() => {
    silence.abort(new Error(`nothing received for ${silenceLimitMs / 1000} s`));
  }, silenceLimitMs);
  async function* watched(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      timer.refresh();
      yield chunk;
    }
  }
  try {
    await pipeline(watched(body as unknown as AsyncIterable<Uint8Array>), createWriteStream(file), {
      signal: silence.signal,
    });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The timeout covers only the start of the response, because a slow connection may need a long time for the archive.
 */
async function request(url: string): Promise<Response> {
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new Error(`no response within ${connectLimitMs / 1000} s`));
  }, connectLimitMs);
  try {
    const response = await fetch(url, { signal: limit.signal });
    if (!response.ok) throw new Error(`the service responded with status ${response.status}`);
    return response;
  } finally {
    clearTimeout(timer);
  }
}
