import { join, sep } from 'node:path';
import type { BundleOptions } from '@temporalio/worker';

const root = join(__dirname, '..');
const ours = ['domain', 'workflows', 'temporal-config'].map((folder) => join(root, folder) + sep);

/**
 * Loads these modules, and what they import, once for all workflows of a worker. Every execution would otherwise evaluate
 * them anew, and the schemas in ours take longer than all else that a short delegation does in the sandbox. Only for
 * modules that keep no state; why, and at what price: docs/decisions/workflow-modules-are-shared.md.
 */
export function sharedModules(modules: readonly string[]): Pick<BundleOptions, 'preloadModules' | 'webpackConfigHook'> {
  return {
    preloadModules: [...modules],
    webpackConfigHook: (config) => ({
      ...config,
      module: {
        ...config.module,
        rules: [
          ...(config.module?.rules ?? []),
          { include: ours, enforce: 'post', use: [require.resolve('./freeze-exports-loader')] },
        ],
      },
    }),
  };
}
