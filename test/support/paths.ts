import { join } from 'node:path';

export const projectRoot = join(__dirname, '..', '..');
export const workflowBundle = { codePath: join(projectRoot, 'dist', 'workflow-bundle.js') };
export const tracedWorkflowBundle = { codePath: join(projectRoot, 'dist', 'workflow-bundle-traced.js') };
export const workerMain = join(projectRoot, 'dist', 'worker', 'main.js');
/** Loaded before a process that runs TypeScript. */
export const typescriptHook = join(projectRoot, 'scripts', 'typescript-hook.js');
export const batonBin = join(projectRoot, 'bin', 'baton.js');
