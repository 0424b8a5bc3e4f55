import { join, sep } from 'node:path';
import type { BundleOptions } from '@temporalio/worker';

const root = join(__dirname, '..');
const ownFolders = ['domain', 'workflows', 'temporal-config'].map((folder) => join(root, folder) + sep);

/**
 * Bundler options that load these modules, and what they import, once for all workflows of a worker. Otherwise every
 * execution would evaluate them again, and Baton's schemas take longer than everything else that a short delegation
 * does in the sandbox. Only for modules without state. Reasons and costs:
 * docs/decisions/workflow-modules-are-shared.md.
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
          { include: ownFolders, enforce: 'post', use: [require.resolve('./freeze-exports-loader')] },
        ],
      },
    }),
  };
}
