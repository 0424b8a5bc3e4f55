import type { BundleOptions } from '@temporalio/worker';
import { sharedModules } from '../shared-modules';

type Config = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

/** Bundler options for a team's workflows together with Baton's, whose entry is `own`. */
export function joinWorkflows(options: BundleOptions, own: string): BundleOptions {
  const { workflowsPath: theirs, preloadModules = [], webpackConfigHook = (config) => config } = options;
  // Only compiled modules have exports that can be shared between executions.
  const shared = __filename.endsWith('.js') ? sharedModules([own]) : {};
  return {
    ...options,
    workflowsPath: require.resolve('../../workflows/joined'),
    preloadModules: [...preloadModules, ...(shared.preloadModules ?? [])],
    webpackConfigHook: (config) =>
      webpackConfigHook(withNames(shared.webpackConfigHook?.(config) ?? config, { own, theirs })),
  };
}

/** Says which files the entry in workflows/joined.ts imports. */
function withNames(config: Config, { own, theirs }: { own: string; theirs: string }): Config {
  const { alias: given = {} } = config.resolve ?? {};
  const names = { 'baton-joined-own': own, 'baton-joined-theirs': theirs };
  const added = Object.entries(names).map(([name, alias]) => ({ name, alias, onlyModule: true }));
  const earlier = Array.isArray(given) ? given : Object.entries(given).map(([name, alias]) => asEntry(name, alias));
  return { ...config, resolve: { ...config.resolve, alias: [...earlier, ...added] } };
}

/** In the short form, a name that ends with $ means only itself, and not what begins with it. */
function asEntry(name: string, alias: string | false | string[]): AliasEntry {
  return { name: name.replace(/\$$/, ''), alias, onlyModule: name.endsWith('$') };
}

interface AliasEntry {
  readonly name: string;
  readonly alias: string | false | string[];
  readonly onlyModule: boolean;
}
