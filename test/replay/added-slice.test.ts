import { bundleWorkflowCode, type BundleOptions, DefaultLogger, Worker, type WorkflowBundle } from '@temporalio/worker';
import { readRecorded, recordedFiles, toHistory } from './recorded';

const bundler = { logger: new DefaultLogger('ERROR') };

/** Replaces the list of built-in slices in the bundle. */
const withOneMoreBuiltIn: BundleOptions['webpackConfigHook'] = (config) => {
  const alias = config.resolve?.alias ?? {};
  if (Array.isArray(alias)) throw new TypeError('The bundler lists its aliases differently now');
  const replaced = require.resolve('../../domain/session/slices/built-in-slices');
  const replacement = require.resolve('./added-slice/built-in-slices');
  return { ...config, resolve: { ...config.resolve, alias: { ...alias, [replaced]: replacement } } };
};

describe.each<[string, () => Promise<WorkflowBundle>]>([
  [
    "a project's own slice",
    () => bundleWorkflowCode({ ...bundler, workflowsPath: require.resolve('./added-slice/own-entry') }),
  ],
  [
    'a built-in slice',
    () =>
      bundleWorkflowCode({
        ...bundler,
        workflowsPath: require.resolve('../../workflows'),
        webpackConfigHook: withOneMoreBuiltIn,
      }),
  ],
])('after %s was added', (_, bundle) => {
  test('every recorded history still replays', async () => {
    const workflowBundle = await bundle();
    // Without this, a bundle that lacks the slice would pass as well.
    expect(workflowBundle.code).toContain('planStepsAdded: startTimer');
    const files = recordedFiles();
    const failed: string[] = [];
    const histories = files.map((file) => {
      const { workflowId, history } = readRecorded(file);
      return { workflowId, history: toHistory(history) };
    });
    let replayed = 0;
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
      replayed += 1;
      if (error !== undefined) failed.push(`${workflowId}: ${error.message}`);
    }
    expect(failed).toEqual([]);
    expect(replayed).toBe(files.length);
  });
});
