// Compiles to dist/ and bundles the workflow code, without and with traces, so that a worker starts at once and all workers run the same bytes.
const { execFileSync } = require('node:child_process');
const { existsSync, readdirSync, renameSync, statSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '..');
const bundles = [
  { path: join(root, 'dist', 'workflow-bundle.js'), interceptors: [] },
  {
    path: join(root, 'dist', 'workflow-bundle-traced.js'),
    interceptors: [join(root, 'dist', 'workflows', 'trace-interceptors.js')],
  },
];

function newest(folder) {
  let time = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return time;
}

function isFresh({ path }) {
  if (!existsSync(path)) return false;
  const inputs = ['workflows', 'domain', 'temporal-config'].map((folder) => newest(join(root, 'dist', folder)));
  inputs.push(statSync(join(root, 'package-lock.json')).mtimeMs, statSync(__filename).mtimeMs);
  return statSync(path).mtimeMs > Math.max(...inputs);
}

async function main() {
  execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
  });
  for (const stale of bundles.filter((bundle) => !isFresh(bundle))) await bundle(stale);
}

async function bundle({ path, interceptors }) {
  const { bundleWorkflowCode, DefaultLogger } = require('@temporalio/worker');
  const { sharedModules } = require(join(root, 'dist', 'worker', 'shared-modules.js'));
  const workflowsPath = join(root, 'dist', 'workflows', 'index.js');
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: interceptors,
    logger: new DefaultLogger('ERROR'),
    ...sharedModules([workflowsPath]),
  });
  // Renamed into place: a worker that starts in this moment must not read half a bundle.
  writeFileSync(`${path}.part`, code);
  renameSync(`${path}.part`, path);
}

main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
