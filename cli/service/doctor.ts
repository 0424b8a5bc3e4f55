import { Command } from 'commander';
import { mcpCheck } from '../mcp/mcp-check';
import { type CliContext, CliError, exitCodes, type OpenConnection } from '../context';
import { type Finding, modelCheck, nodeCheck, runChecks, serverChecks, settingsCheck } from './checks';
import { encryptionCheck } from '../encryption/encryption-check';
import { commandsCheck } from './commands-check';
import { orphansCheck } from './orphans-check';
import { storeCheck } from './store-check';

const signs = { ok: '✓', warn: '!', fail: '✗' } as const;

/** `baton doctor`: checks the environment. */
export function doctorCommand(context: CliContext): Command {
  return new Command('doctor')
    .description('check everything that Baton needs, and show how to fix problems')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nThe exit code is 3 if something that Baton needs does not work.\n\nExamples:\n  $ baton doctor\n  $ baton doctor --json\n',
    )
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await allFindings(context);
      if (json === true) context.terminal.printJson(findings);
      else context.terminal.print(findings.map(toText).join('\n'));
      const failed = findings.filter(({ state }) => state === 'fail');
      if (failed.length > 0)
        throw new CliError(exitCodes.unavailable, `Not working: ${failed.map(({ name }) => name).join(', ')}.`);
    });
}

/** Runs all checks. If settings are invalid, only that is reported, because every other check would repeat it. */
async function allFindings(context: CliContext): Promise<Finding[]> {
  const first = await runChecks([nodeCheck, settingsCheck(context)]);
  if (first.some(({ state }) => state === 'fail')) return first;
  const local = [
    storeCheck(context),
    modelCheck(context.settings, process.env['ANTHROPIC_API_KEY']),
    commandsCheck(context),
    mcpCheck(context.settings),
  ];
  return [...first, ...(await runChecks(local)), ...(await serverFindings(context))];
}

async function serverFindings(context: CliContext): Promise<Finding[]> {
  let connected: OpenConnection | undefined;
  const [connection] = await runChecks([
    {
      name: 'Temporal',
      async run() {
        connected = await context.connect();
        return { state: 'ok', detail: '' };
      },
    },
  ]);
  if (connected === undefined) return connection === undefined ? [] : [connection];
  try {
    return await runChecks([
      ...serverChecks(context, connected),
      encryptionCheck(context, connected),
      orphansCheck(context, connected),
    ]);
  } finally {
    await connected.close();
  }
}

function toText({ name, state, detail, fix }: Finding): string {
  return `${signs[state]} ${name}: ${detail}${fix === undefined ? '' : `\n    → ${fix}`}`;
}
