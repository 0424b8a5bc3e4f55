import { Command } from 'commander';
import { statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { type DevServer, ensureDevServer } from '../../temporal-config/dev-server/dev-server';
import { resolveConfigured } from '../../temporal-config/node/connection';
import { type ScriptedModel, startScriptedModel } from '../../testing/scripted-model';
import { type CliContext, CliError, exitCodes } from '../context';
import { finishSetupFirst } from '../signals';
import { scenarioHelp, scenarioNames, scriptNamed, whatIsPlayed, whatToType } from './scenario-option';
import { scriptedEnvironment } from './scripted-environment';
import {
  mcpConfigHelp,
  mcpEnvironment,
  sandboxVariables,
  startWorkerProcess,
  unsafeCommands,
  type UnsafeOption,
  untilStopped,
} from './worker';

interface DevOptions extends UnsafeOption {
  readonly scripted?: boolean | string;
  readonly worker?: string;
  readonly mcpConfig?: string;
}

/** `baton dev`: runs a local server and a worker in the foreground. */
export function devCommand(context: CliContext): Command {
  return new Command('dev')
    .description('run a local Temporal server with its Web UI, and a worker, in the foreground')
    .option(
      '--scripted [scenario]',
      'use a scripted model instead of a real one; needs no API key, and nothing leaves this machine ("help" lists scenarios)',
    )
    .option('--worker <file>', 'run this program as the worker: a JavaScript file of your project that calls runWorker')
    .option(unsafeCommands.flags, unsafeCommands.description)
    .option('--mcp-config <file>', mcpConfigHelp)
    .addHelpText('after', examples)
    .action(async ({ scripted, worker, mcpConfig, ...options }: DevOptions) => {
      if (scripted === 'help') {
        context.terminal.print(scenarioHelp());
        return;
      }
      const { note: warn } = context.terminal;
      const program = worker === undefined ? undefined : workerProgram(worker);
      const mcp = mcpEnvironment(mcpConfig);
      const script = scripted === undefined ? undefined : scriptNamed(scripted);
      const server = await finishSetupFirst(serverFor(context), (started) => started?.release(), warn);
      const model = script === undefined ? undefined : await startScriptedModel(script);
      let page: ServedPage | undefined;
      try {
        const scriptedEnv = model === undefined ? {} : scriptedEnvironment(model);
        const env = { ...stopsAtOnce(), ...sandboxVariables(options), ...scriptedEnv, ...mcp };
        const starting = startWorkerProcess({ env, program });
        await untilStopped(starting, async () => {
          page = await servePage(context);
          greet(context, server, model, scripted);
        });
      } finally {
        await page?.close();
        await model?.close();
        await server?.release();
      }
    });
}

/** On a laptop, Ctrl-C ends at once: the calls in progress are repeated when the worker is started again. */
function stopsAtOnce(): Readonly<Record<string, string>> {
  return { BATON_SHUTDOWN_GRACE: process.env['BATON_SHUTDOWN_GRACE'] ?? '0' };
}

const examples = `
The server stores its data in .baton/state of this folder, so runs survive a restart. The first start may have to build
the server. If TEMPORAL_ADDRESS is set, that server is used and no local one is started.

Examples:
  $ baton dev
  $ baton dev --scripted
  $ baton dev --scripted help        # every scenario, with the commands to try it
  $ baton dev --scripted turns:60    # this scenario, whatever the goal is
  $ baton dev --worker dist/worker.js

Without a name, the goal of each run chooses its scenario: baton run "scenario: parked". Other goals get the explorer.
Scenarios: ${scenarioNames}.
`;

/** Checks the path now: the message of a process that can't load its program is hard to read. */
function workerProgram(file: string): string {
  const path = resolve(file);
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  if (isFile && canRun(extname(path))) return path;
  throw new CliError(
    exitCodes.misused,
    isFile ? `The file ${file} is not JavaScript.` : `The file ${file} does not exist.`,
    'Compile your project first, then pass the compiled file, for example: baton dev --worker dist/worker.js',
  );
}

/** Whether Node.js runs files with this extension. Newer versions run TypeScript, and NODE_OPTIONS may name a loader. */
function canRun(extension: string): boolean {
  if (['.js', '.mjs', '.cjs', ''].includes(extension)) return true;
  const { typescript = false } = process.features as { readonly typescript?: string | false };
  const isTypeScript = ['.ts', '.mts', '.cts'].includes(extension);
  return (typescript !== false && isTypeScript) || (process.env['NODE_OPTIONS'] ?? '') !== '';
}

async function serverFor({ terminal, settings }: CliContext): Promise<DevServer | undefined> {
  const configured = resolveConfigured();
  if (configured === undefined)
    return ensureDevServer({ stateDir: settings().stateDir, log: (line) => terminal.note(line) });
  terminal.note(`Using ${configured.describe}. No local server is started.`);
  return undefined;
}

/** The page of `baton ui`, while it is served. */
interface ServedPage {
  close(): Promise<void>;
}

/** Serves the page as well, and prints its address. Without it, everything else still works. */
async function servePage(context: CliContext): Promise<ServedPage | undefined> {
  const { librarySource, serveUi, usualPort } = await import('../ui/serve.js');
  const connected = await context.connect();
  try {
    const source = await librarySource(context, connected);
    const page = await serveUi(source, { port: usualPort, mayMove: true, isReadOnly: false });
    context.terminal.note(`Runs in a browser, live: ${page.address()}`);
    return {
      async close() {
        await page.close();
        await connected.close();
      },
    };
  } catch (error) {
    await connected.close();
    context.terminal.note(`The page is not served: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function greet(
  { terminal }: CliContext,
  server: DevServer | undefined,
  model: ScriptedModel | undefined,
  scripted: boolean | string | undefined,
): void {
  if (server !== undefined) terminal.note(`Temporal ${server.version} at ${server.address}, Web UI at ${server.uiUrl}`);
  if (model !== undefined) {
    terminal.note(`The model is scripted (${model.baseUrl}): ${whatIsPlayed(scripted)}`);
    terminal.note(
      `It also plays a server of another provider (${model.chatBaseUrl}): add --model openai:scripted --window 200000`,
    );
  }
  terminal.note(`Ready. In another terminal, in this folder:${whatToType(scripted)}`);
}
