import { parseArgs } from 'node:util';
import { findScenario, scenarios } from './scenarios';
import type { Script } from './script';
import { startScriptedModel } from './server';
import type { ScriptedModelOptions } from './state';

/** Invalid command-line arguments. Printed as a message without a stack. */
class UsageError extends Error {}

interface Settings {
  readonly script: Script;
  readonly options: ScriptedModelOptions;
}

function readSettings(args: readonly string[]): Settings {
  const { values } = parseOptions(args);
  const name = values.scenario ?? 'explorer';
  const script = findScenario(name);
  if (!script) throw new UsageError(`Unknown scenario "${name}". Available: ${Object.keys(scenarios).join(', ')}`);
  const pace = {
    delayMs: wholeNumber('delay-ms', values['delay-ms'], 0),
    chunkDelayMs: wholeNumber('chunk-delay-ms', values['chunk-delay-ms'], 0),
    chunkSize: wholeNumber('chunk-size', values['chunk-size'], 40),
  };
  const port = wholeNumber('port', values.port, 0);
  const apiKey = values['api-key'];
  return { script, options: { port, pace, ...(apiKey === undefined ? {} : { apiKey }) } };
}

function parseOptions(args: readonly string[]): { values: Partial<Record<OptionName, string>> } {
  const options = Object.fromEntries(optionNames.map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ args: [...args], options, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const optionNames = ['scenario', 'port', 'delay-ms', 'chunk-delay-ms', 'chunk-size', 'api-key'] as const;
type OptionName = (typeof optionNames)[number];

function wholeNumber(name: string, value: string | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`--${name} must be a non-negative integer, not "${value}"`);
  return Number(value);
}

async function main(): Promise<void> {
  const { script, options } = readSettings(process.argv.slice(2));
  const model = await startScriptedModel(script, options);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void model.close());
  console.log(JSON.stringify({ baseUrl: model.baseUrl }));
}

main().catch((error: unknown) => {
  const isUserError = error instanceof UsageError || (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  console.error(isUserError && error instanceof Error ? error.message : error);
  process.exitCode = isUserError ? 2 : 1;
});
