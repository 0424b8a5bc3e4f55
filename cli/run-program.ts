import { type CliContext, type ExitCode, exitCodes, type Terminal } from './context';
import type { Explanation } from './explain';
import { createProgram } from './program';

/**
 * Runs the command that the arguments name and returns its exit code; never throws. An error is explained on standard
 * error. With `--json`, standard output is JSON in that case too, so that programs need only one parser, also
 * for an unknown command or option.
 */
export async function runProgram(context: CliContext, args: readonly string[]): Promise<ExitCode> {
  const { terminal, hasPrintedJson } = observed(context.terminal);
  try {
    const program = await createProgram({ ...context, terminal }, args);
    await program.parseAsync([...args], { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    // Loaded only now, because it knows the errors of every library that commands use.
    const { explain } = await import('./explain.js');
    const explained = explain(error);
    if (explained.exitCode === exitCodes.ok) return exitCodes.ok;
    // A command that prints its result and then fails has said in the result what is wrong.
    if (requestsJson(args) && !hasPrintedJson()) terminal.printJson({ error: asJson(explained) });
    if (explained.isPrinted !== true) terminal.note(asText(explained, context.showStacks === true));
    return explained.exitCode;
  }
}

function observed(terminal: Terminal): { terminal: Terminal; hasPrintedJson(): boolean } {
  let printed = false;
  return {
    hasPrintedJson: () => printed,
    terminal: {
      ...terminal,
      printJson(value) {
        printed = true;
        terminal.printJson(value);
      },
    },
  };
}

/** Decides from the arguments, because commander parses no option after the one that it rejects, and none of an unknown command. */
function requestsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).includes('--json');
}

function asJson({ type, message, remedy, exitCode }: Explanation): object {
  return { type: type ?? null, message, remedy: remedy ?? null, exitCode };
}

function asText({ message, remedy, stack }: Explanation, showStacks: boolean): string {
  const lines = remedy === undefined ? [message] : [message, remedy];
  return [...lines, ...(showStacks && stack !== undefined ? [stack] : [])].join('\n');
}
