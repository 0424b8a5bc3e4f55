import { statfs } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { mediaTypes } from '../../domain/store/blob-ref';
import { defaultModel } from '../../domain/model/models';
import type { Settings } from '../../temporal-config/node/settings';
import type { CliContext } from '../context-merging';
import { formatBytes, plural } from '../../client/format';
import type { Check } from './check';

const oldestNode = [20, 11] as const;

/** Checks the version of Node.js. */
export const nodeCheck: Check = {
  name: 'Node.js',
  run() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const [minMajor, minMinor] = oldestNode;
    const recent = major > minMajor || (major === minMajor && minor >= minMinor);
    const fix = `Install Node.js ${minMajor}.${minMinor} or newer.`;
    return Promise.resolve(
      recent ? { state: 'ok', detail: process.version } : { state: 'fail', detail: process.version, fix },
    );
  },
};

/** Checks that all settings are valid. */
export function settingsCheck({ settings }: CliContext): Check {
  return {
    name: 'Settings',
    run() {
      const { stateDir, taskQueue } = settings();
      return Promise.resolve({ state: 'ok', detail: `state in ${stateDir}, task queue "${taskQueue}"` });
    },
  };
}

/** Writes and reads a blob, because wrong permissions and a full disk show only then. */
export function storeCheck(context: CliContext): Check {
  return {
    name: 'Store',
    async run() {
      const { storeDir } = context.settings();
      const store = await context.openStore();
      const probe = `doctor-${randomUUID()}`;
      const run = store.forRun(probe);
      try {
        await run.get(await run.put(Buffer.from(probe), mediaTypes.text), 'doctor');
      } finally {
        await store.deleteRun(probe);
      }
      const { bavail, bsize } = await statfs(storeDir);
      const free = bavail * bsize;
      const runs = (await store.listRuns()).length;
      const detail = `${storeDir}, ${plural(runs, 'run')}, ${formatBytes(free)} free, id ${store.id}`;
      return free > 1024 ** 3
        ? { state: 'ok', detail }
        : { state: 'warn', detail, fix: 'Free some space, for example with: baton gc --older-than 30d' };
    },
  };
}

/**
 * Requests the model from the provider, which shows both that the provider can be reached and that it accepts the
 * key.
 */
export function modelCheck(settings: () => Settings, apiKey: string | undefined): Check {
  return {
    name: 'Model',
    async run() {
      const { modelBaseUrl = 'https://api.anthropic.com', model = defaultModel } = settings();
      if (apiKey === undefined || apiKey === '') {
        return {
          state: 'warn',
          detail: 'ANTHROPIC_API_KEY is not set here',
          fix: 'Set it for the worker, or use: baton dev --scripted',
        };
      }
      const signal = AbortSignal.timeout(10_000);
      const headers = { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' };
      const url = `${modelBaseUrl}/v1/models/${encodeURIComponent(model)}`;
      const response = await fetch(url, { headers, signal }).catch(() => undefined);
      if (response === undefined)
        return {
          state: 'fail',
          detail: `${modelBaseUrl} can't be reached`,
          fix: 'Check the network and ANTHROPIC_BASE_URL.',
        };
      if (response.ok) return { state: 'ok', detail: `${model} at ${modelBaseUrl}` };
      const fix =
        response.status === 404
          ? 'Set BATON_MODEL to a model that your key gives access to.'
          : 'Check ANTHROPIC_API_KEY.';
      return { state: 'fail', detail: `${modelBaseUrl} answered ${response.status} for ${model}`, fix };
    },
  };
}
