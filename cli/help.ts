import { Argument, Command, CommanderError, Option } from 'commander';
import { exitCodes } from './context';

/**
 * What help shows of a command. The build writes it to a file, so that help is printed without loading the code of any
 * command.
 */
export interface CommandHelp {
  readonly name: string;
  readonly description: string;
  readonly version?: string | undefined;
  readonly arguments: readonly ArgumentHelp[];
  readonly options: readonly OptionHelp[];
  readonly commands: readonly CommandHelp[];
  /** Whether `help` is listed among its commands. */
  readonly listsHelp: boolean;
  /** Text after the lists, such as examples. */
  readonly after: string;
}

interface ArgumentHelp extends ValueHelp {
  readonly syntax: string;
}

interface OptionHelp extends ValueHelp {
  readonly flags: string;
  readonly isHidden: boolean;
  readonly environmentVariable?: string | undefined;
}

interface ValueHelp {
  readonly description: string;
  readonly choices?: readonly string[] | undefined;
  readonly defaultValue?: unknown;
  readonly defaultDescription?: string | undefined;
}

/** Describes a command and its subcommands. */
export function describeCommand(command: Command): CommandHelp {
  return {
    name: command.name(),
    description: command.description(),
    version: command.version(),
    arguments: command.registeredArguments.map((argument) => ({
      ...describeValue(argument),
      syntax: syntaxOf(argument),
    })),
    options: command.options
      // Added by `version` below.
      .filter((option) => option.attributeName() !== 'version')
      .map((option) => ({
        ...describeValue(option),
        flags: option.flags,
        isHidden: option.hidden,
        environmentVariable: option.envVar,
      })),
    commands: command.commands.map(describeCommand),
    listsHelp: command
      .createHelp()
      .visibleCommands(command)
      .some((each) => each.name() === 'help'),
    after: textAfter(command),
  };
}

function syntaxOf(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

function describeValue(value: Argument | Option): ValueHelp {
  return {
    description: value.description,
    choices: value.argChoices,
    defaultValue: value.defaultValue,
    defaultDescription: value.defaultValueDescription,
  };
}

/** Commander can only print such texts, after the help that it generates. */
function textAfter(command: Command): string {
  let printed = '';
  command.configureOutput({ writeOut: (text) => (printed += text) }).outputHelp();
  return printed.slice(command.helpInformation().length);
}

/** Creates a command that prints this help and can do nothing else. */
export function helpOnlyCommand(help: CommandHelp): Command {
  const command = new Command(help.name).description(help.description).configureHelp({ sortSubcommands: false });
  if (help.version !== undefined) command.version(help.version);
  for (const each of help.arguments) command.addArgument(withValue(new Argument(each.syntax, each.description), each));
  for (const each of help.options) command.addOption(optionFrom(each));
  for (const each of help.commands) command.addCommand(helpOnlyCommand(each));
  if (help.commands.length > 0) command.helpCommand(help.listsHelp);
  // `addHelpText` ends the text with a line break.
  if (help.after !== '') command.addHelpText('after', help.after.replace(/\n$/, ''));
  return command.exitOverride();
}

function optionFrom(help: OptionHelp): Option {
  const option = withValue(new Option(help.flags, help.description).hideHelp(help.isHidden), help);
  return help.environmentVariable === undefined ? option : option.env(help.environmentVariable);
}

function withValue<T extends Argument | Option>(
  described: T,
  { choices, defaultValue, defaultDescription }: ValueHelp,
): T {
  if (choices !== undefined) described.choices(choices);
  if (defaultValue !== undefined) described.default(defaultValue, defaultDescription);
  return described;
}

/** Prints help. Returns false if the arguments ask for something else, for example because `-h` is the value of an option. */
export function printHelp(help: CommandHelp, args: readonly string[]): boolean {
  // The reader may close the pipe early, as `head` does. That is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.stderr.write(`The help can't be printed: ${error.message}\n`);
    process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failed);
  });
  try {
    helpOnlyCommand(help).parse(args, { from: 'user' });
    return false;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.misused;
    return true;
  }
}
