import { ModuleMocker } from 'jest-mock';
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';

/** What Jest and OpenTelemetry keep on the global object for one test file. */
const stateOfFile = [
  'EVENT_HANDLERS',
  'JEST_STATE_SYMBOL',
  'RETRY_TIMES',
  'TEST_TIMEOUT_SYMBOL',
  '$$jest-matchers-object',
  'opentelemetry.js.api.1',
];

/** What a test file has stored its context in: clients, workers and workflows each have such a storage. */
const storages = new Set<AsyncLocalStorage<unknown>>();
type RunWithContext = (this: AsyncLocalStorage<unknown>, ...args: unknown[]) => unknown;
const contexts = AsyncLocalStorage.prototype as { run: RunWithContext };

type StackFormat = (error: Error, frames: NodeJS.CallSite[]) => unknown;

/**
 * Runs test files in the realm of the process, as the program runs outside of tests: an error of Node.js is an `Error`
 * here too. See runtime.js. What a test file changes in the process is undone when it ends.
 */
export default class OneRealm {
  readonly global = globalThis;
  readonly fakeTimers = null;
  readonly fakeTimersModern = null;
  readonly moduleMocker = new ModuleMocker(globalThis);
  private readonly root: string;
  /** Everything that the test file and its processes create in the folder for temporary files. */
  private readonly folder = mkdtempSync(join(tmpdir(), 'baton-tests-'));
  private readonly before = {
    console: globalThis.console,
    cwd: process.cwd(),
    env: { ...process.env },
    exit: process.exit,
    exitCode: process.exitCode,
    runWithContext: contexts.run,
    prepareStackTrace: Error.prepareStackTrace,
  };

  constructor({ projectConfig }: { projectConfig: { rootDir: string } }) {
    this.root = projectConfig.rootDir + sep;
  }

  setup(): Promise<void> {
    process.env['TMPDIR'] = this.folder;
    const { runWithContext } = this.before;
    contexts.run = function (...args) {
      storages.add(this);
      return runWithContext.apply(this, args);
    };
    const format = Error.prepareStackTrace as StackFormat | undefined;
    if (format !== undefined)
      Error.prepareStackTrace = (error, frames) =>
        format(
          error,
          frames.map((frame) => (this.isSource(frame.getFileName()) ? frame : unmapped(frame))),
        );
    return Promise.resolve();
  }

  async teardown(): Promise<void> {
    const { console, cwd, env, exit, exitCode, runWithContext, prepareStackTrace } = this.before;
    // Before the folder is deleted: no later test file could be loaded in a process whose folder is gone.
    process.chdir(cwd);
    // A process that a test has left behind may still write there. The rest is deleted all the same.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
    globalThis.console = console;
    Object.assign(process, { exit, exitCode });
    for (const name of Object.keys(process.env)) if (!(name in env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, env);
    Error.prepareStackTrace = prepareStackTrace;
    contexts.run = runWithContext;
    // Node.js gives every new promise the contexts of all storages ever used, unless they are disabled. After a hundred test
    // files, most of the time would go into that.
    for (const storage of storages) storage.disable();
    storages.clear();
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (stateOfFile.includes(key.description ?? '')) Reflect.deleteProperty(globalThis, key);
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  getVmContext(): typeof globalThis {
    return globalThis;
  }

  private isSource(file: string | null | undefined): boolean {
    return file?.startsWith(this.root) === true && !/[\\/](node_modules|dist)[\\/]/.test(file);
  }
}

/**
 * Jest leaves frames of native code as they are. For every other frame it reads the file and its source map, and that of
 * the workflows takes a second.
 */
function unmapped(frame: NodeJS.CallSite): NodeJS.CallSite {
  return { isNative: () => true, toString: frame.toString.bind(frame) } as NodeJS.CallSite;
}
