import { Command } from 'commander';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type DevServer, ensureDevServer } from '../../temporal-config/dev-server/dev-server';
import { resolveConfigured } from '../../temporal-config/node/connection';
import {
  findScenario,
  scenarios,
  type Script,
  type ScriptedModel,
  startScriptedModel,
} from '../../testing/scripted-model';
import { type CliContext, CliError, exitCodes } from '../context';
import { finishSetupFirst } from '../signals';
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
      'use a scripted model instead of a real one; needs no API key, and nothing leaves this machine',
    )
    .option('--worker <file>', 'run this program as the worker: a JavaScript file of your project that calls runWorker')
    .option(unsafeCommands.flags, unsafeCommands.description)
    .option('--mcp-config <file>', mcpConfigHelp)
    .addHelpText('after', examples)
    .action(async ({ scripted, worker, mcpConfig, ...options }: DevOptions) => {
      const { note: warn } = context.terminal;
      const program = worker === undefined ? undefined : workerProgram(worker);
      const mcp = mcpEnvironment(mcpConfig);
      const script = scripted === undefined ? undefined : scriptNamed(scripted);
      const server = await finishSetupFirst(serverFor(context), (started) => started?.release(), warn);
      const model = script === undefined ? undefined : await startScriptedModel(script);
      try {
        const scriptedEnv = model === undefined ? {} : scriptedEnvironment(model);
        const env = { ...sandboxVariables(options), ...scriptedEnv, ...mcp };
        const starting = startWorkerProcess({ env, program });
        await untilStopped(starting, () => {
          greet(context, server, model, scripted);
        });
      } finally {
        await model?.close();
        await server?.release();
      }
    });
}

const examples = `
The server stores its data in .baton/state of this folder, so runs survive a restart. The first start may have to build
the server. If TEMPORAL_ADDRESS is set, that server is used and no local one is started.

Examples:
  $ baton dev
  $ baton dev --scripted
  $ baton dev --scripted feature     # for: baton relay feature
  $ baton dev --scripted long-work   # for: baton run "…" --window 8000 --max-tokens 1000
  $ baton dev --worker dist/worker.js

Scenarios: ${Object.keys(scenarios).join(', ')}.
`;

/** Checks the path now: the message of a process that can't load its program is hard to read. */
function workerProgram(file: string): string {
  const path = resolve(file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return path;
  throw new CliError(
    exitCodes.misused,
    `The file ${file} does not exist.`,
    'Compile your project first, then pass the compiled file, for example: baton dev --worker dist/worker.js',
  );
}

function scriptNamed(scripted: boolean | string): Script {
  const name = typeof scripted === 'string' ? scripted : 'explorer';
  const script = findScenario(name);
  if (script !== undefined) return script;
  const known = Object.keys(scenarios).join(', ');
  throw new CliError(exitCodes.misused, `Unknown scenario "${name}".`, `Use one of: ${known}`);
}

async function serverFor({ terminal, settings }: CliContext): Promise<DevServer | undefined> {
  const configured = resolveConfigured();
  if (configured === undefined)
    return ensureDevServer({ stateDir: settings().stateDir, log: (line) => terminal.note(line) });
  terminal.note(`Using ${configured.describe}. No local server is started.`);
  return undefined;
}

function greet(
  { terminal }: CliContext,
  server: DevServer | undefined,
  model: ScriptedModel | undefined,
  scripted: boolean | string | undefined,
): void {
  if (server !== undefined) terminal.note(`Temporal ${server.version} at ${server.address}, Web UI at ${server.uiUrl}`);
  if (model !== undefined) {
    terminal.note(
      `The model is scripted (${model.baseUrl}): ${typeof scripted === 'string' ? `it plays the scenario "${scripted}"` : 'it explores the workspace and reports'}, whatever the goal.`,
    );
    terminal.note(
      `It also plays a server of another provider (${model.chatBaseUrl}): add --model openai:scripted --window 200000`,
    );
  }
  terminal.note(
    `Ready. In another terminal, in this folder: ${scripted === 'feature' ? 'baton relay feature --goal "Warn about low water"' : 'baton run "Summarize this project"'} --workspace . --follow`,
  );
}
