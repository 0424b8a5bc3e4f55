import { Command, Option } from 'commander';
import type { queriedFiles } from '../client/workspace/run-files';
import type { CliContext } from './context';
import { filledArgument, filledText } from './options';
import { readManifest } from './package';

const exitCodeHelp = `
Colours: on a terminal, unless NO_COLOR is set or --no-color is passed; FORCE_COLOR=1 forces them.

Exit codes: 0 success; 1 the run or the command failed; 2 wrong usage; 3 something that Baton needs is missing or
configured wrongly (settings, server, worker, store); 130 interrupted.

Start here:
  $ baton dev --scripted                                   # server, Web UI and worker, with a scripted model
  $ baton run "Summarize this project" -w . --follow       # in another terminal
`;

/**
 * Creates the command line for these arguments: with the command that the first one names, or else with all commands.
 * It is separate from running the program, because the reference page is generated from it.
 */
export async function createProgram(context: CliContext, args: readonly string[] = []): Promise<Command> {
  const baton = new Command('baton')
    .description(
      'Durable AI agents on Temporal: they survive crashes and leave a complete record of what each one was sent.',
    )
    .version(readManifest().version)
    .addHelpText('after', exitCodeHelp)
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false });
  const named = Object.entries(commandLoaders).filter(([name]) => name === args[0]);
  for (const [, load] of named.length > 0 ? named : Object.entries(commandLoaders))
    baton.addCommand((await load())(context));
  configure(baton, context);
  return baton;
}

/**
 * Gives a command and its subcommands, which inherit nothing, what they have in common: they throw instead of exiting,
 * print where everything is printed, and reject empty texts.
 */
function configure(command: Command, { terminal }: Pick<CliContext, 'terminal'>): void {
  const withoutEnd = (text: string): string => text.replace(/\n$/, '');
  command.exitOverride().configureOutput({
    writeOut: (text) => {
      terminal.print(withoutEnd(text));
    },
    writeErr: (text) => {
      terminal.note(withoutEnd(text));
    },
  });
  // Read where the terminal is created, so it only has to be accepted here.
  command.addOption(new Option('--no-color', 'print without colours').hideHelp());
  for (const option of command.options) {
    if (option.required && option.parseArg === undefined) option.argParser(filledText);
  }
  for (const argument of command.registeredArguments) argument.argParser(filledArgument(argument));
  for (const child of command.commands) configure(child, { terminal });
}

type MakeCommand = (context: CliContext) => Command;

/**
 * All commands by name, in the order of the help: start, inspect, decide, clean up. Each is loaded on demand, because
 * loading all of them takes longer than most commands take to run.
 */
const commandLoaders: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  init: async () => (await import('./service/init.js')).initCommand,
  dev: async () => (await import('./service/dev.js')).devCommand,
  worker: async () => (await import('./service/worker.js')).workerCommand,
  versions: async () => (await import('./service/versions.js')).versionsCommand,
  run: async () => (await import('./agent/run.js')).runCommand,
  relay: async () => (await import('./relay/relay.js')).relayCommand,
  rerun: async () => (await import('./agent/rerun.js')).rerunCommand,
  list: async () => (await import('./agent/list.js')).listCommand,
  show: async () => (await import('./agent/show.js')).showCommand,
  tree: async () => (await import('./delegation/tree.js')).treeCommand,
  why: async () => (await import('./agent/why.js')).whyCommand,
  session: async () => (await import('./session/session.js')).sessionCommand,
  transcript: async () => (await import('./transcript/transcript.js')).transcriptCommand,
  tail: async () => (await import('./agent/tail.js')).tailCommand,
  ui: async () => (await import('./ui/ui.js')).uiCommand,
  compare: async () => (await import('./compare/compare.js')).compareCommand,
  report: async () => (await import('./report/report.js')).reportCommand,
  cancel: async () => (await import('./operator/decisions.js')).cancelCommand,
  pause: async () => (await import('./operator/decisions.js')).pauseCommand,
  resume: async () => (await import('./operator/decisions.js')).resumeCommand,
  steer: async () => (await import('./operator/decisions.js')).steerCommand,
  retry: async () => (await import('./operator/retry.js')).retryCommand,
  amend: async () => (await import('./operator/amend.js')).amendCommand,
  skip: async () => (await import('./operator/decisions.js')).skipCommand,
  abort: async () => (await import('./operator/decisions.js')).abortCommand,
  approve: async () => (await import('./operator/calls.js')).approveCommand,
  deny: async () => (await import('./operator/calls.js')).denyCommand,
  answer: async () => (await import('./operator/calls.js')).answerCommand,
  mcp: async () => (await import('./mcp/mcp.js')).mcpCommand,
  store: async () => (await import('./store/store.js')).storeCommand,
  limits: async () => (await import('./limit/limits.js')).limitsCommand,
  gc: async () => (await import('./service/gc.js')).gcCommand,
  keys: async () => (await import('./encryption/keys.js')).keysCommand,
  'codec-server': async () => (await import('./encryption/codec-command.js')).codecServerCommand,
  doctor: async () => (await import('./service/doctor.js')).doctorCommand,
  demo: async () => (await import('./demo/demo.js')).demoCommand,
  prompt: async () => (await import('./prompt/prompt.js')).promptCommand,
  audit: async () => (await import('./prompt/prompt.js')).auditCommand,
  diff: async () => aboutFiles((await import('./workspace/diff.js')).diffCommand),
  apply: async () => aboutFiles((await import('./workspace/apply.js')).applyCommand),
  artifacts: async () => aboutFiles((await import('./workspace/artifacts.js')).artifactsCommand),
  compose: async () => offline((await import('./prompt/compose.js')).composeCommand),
  wrap: async () => offline((await import('./prompt/compose.js')).wrapCommand),
  extract: async () => offline((await import('./prompt/compose.js')).extractCommand),
  skills: async () => offline((await import('./skill/skills.js')).skillsCommand),
  relays: async () => offline((await import('./relay/relays.js')).relaysCommand),
};

/** Adapts a command that works on the files of a run. */
async function aboutFiles(make: (context: CliContext, files: typeof queriedFiles) => Command): Promise<MakeCommand> {
  const { queriedFiles } = await import('../client/workspace/run-files.js');
  return (context) => make(context, queriedFiles);
}

/** Adapts a command that needs neither a server nor a store. */
function offline(make: (terminal: CliContext['terminal']) => Command): MakeCommand {
  return ({ terminal }) => make(terminal);
}
