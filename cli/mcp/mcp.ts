import { Command } from 'commander';
import { resolve } from 'node:path';
import { plural } from '../../client/format';
import { mcpFileIn, readMcpServers, type ReadMcpServers } from '../../definitions/mcp/read-servers';
import { closestName } from '../../domain/kernel';
import type { ProbedServer } from '../../domain/mcp';
import { type CliContext, CliError, exitCodes, type Terminal } from '../context';
import { checkLines, configurationProblems, hasProblems, listText, serverText } from './mcp-text';
import { probeServers } from './probe';

interface Options {
  readonly json?: true;
  readonly mcpConfig?: string;
}

/** `baton mcp`: shows and checks the MCP servers of this folder, as a worker here would use them. */
export function mcpCommand(context: CliContext): Command {
  const mcp = new Command('mcp')
    .description('list and check MCP servers, whose tools agents can be granted')
    .addHelpText('after', help);
  return mcp.addCommand(listCommand(context)).addCommand(checkCommand(context));
}

const help = `
Servers are read from .mcp.json in this folder, where a worker reads them too, or from BATON_MCP_CONFIG. A run uses them
only if it is told to: baton run "…" --mcp <server>. The format is described in docs/mcp.md.

Examples:
  $ baton mcp list
  $ baton mcp check
  $ baton run "…" --mcp github:search_code,get_issue
`;

function listCommand(context: CliContext): Command {
  return withOptions(new Command('list'))
    .description('list servers with their tools and what the descriptions cost; with a name, also the schemas')
    .addHelpText('after', '\nExamples:\n  $ baton mcp list\n  $ baton mcp list github\n  $ baton mcp list --json\n')
    .action(async (server: string | undefined, options: Options) => {
      const { read, servers } = await probed(context, server, options);
      const { terminal } = context;
      if (options.json === true) terminal.printJson({ ...configurationOf(read), servers });
      else if (servers.length > 0)
        terminal.print(server === undefined ? listText(servers) : servers.map(serverText).join('\n'));
      noteConfiguration(terminal, read);
    });
}

function checkCommand(context: CliContext): Command {
  return withOptions(new Command('check'))
    .description('connect to servers and report problems; the exit code is 1 if there are any')
    .addHelpText('after', '\nExamples:\n  $ baton mcp check\n  $ baton mcp check github\n')
    .action(async (server: string | undefined, options: Options) => {
      const { read, servers } = await probed(context, server, options);
      const { terminal } = context;
      if (options.json === true) terminal.printJson({ ...configurationOf(read), servers });
      else for (const line of servers.flatMap(checkLines)) terminal.print(line);
      noteConfiguration(terminal, read);
      const count = servers.filter(hasProblems).length + (server === undefined ? read.problems.length : 0);
      if (count > 0) throw new CliError(exitCodes.failed, `${plural(count, 'MCP server')} with problems.`);
    });
}

function withOptions(command: Command): Command {
  return command
    .argument('[server]', 'name of a server (default: all)')
    .option('--mcp-config <file>', 'JSON file with the servers (default: $BATON_MCP_CONFIG, or .mcp.json)')
    .option('--json', 'print JSON');
}

interface Probed {
  readonly read: ReadMcpServers;
  readonly servers: readonly ProbedServer[];
}

async function probed({ settings }: CliContext, server: string | undefined, { mcpConfig }: Options): Promise<Probed> {
  const named = mcpConfig === undefined ? settings().mcpConfig : resolve(mcpConfig);
  const file = named ?? mcpFileIn(process.cwd());
  const read = await readMcpServers(file, process.env);
  if (!read.exists && named !== undefined)
    throw new CliError(
      exitCodes.misused,
      `The file ${file} does not exist.`,
      'Check --mcp-config or BATON_MCP_CONFIG.',
    );
  const names = Object.keys(read.servers);
  if (server !== undefined && !names.includes(server)) throw unknown(server, read);
  return { read, servers: await probeServers(file, server === undefined ? names : [server]) };
}

function unknown(server: string, { servers, problems, disabled, file }: ReadMcpServers): CliError {
  const problem = problems.find((each) => each.server === server);
  if (problem !== undefined)
    return new CliError(exitCodes.failed, `The server "${server}" in ${file} can't be used: ${problem.message}.`);
  if (disabled.includes(server))
    return new CliError(exitCodes.failed, `The server "${server}" is disabled in ${file}.`, 'Remove "disabled".');
  const names = Object.keys(servers);
  const near = closestName(server, names);
  const known = names.length === 0 ? 'It has no servers that can be used.' : `Servers: ${names.join(', ')}.`;
  return new CliError(
    exitCodes.misused,
    `${file} has no MCP server "${server}".`,
    near === undefined ? known : `Did you mean "${near}"? ${known}`,
  );
}

function configurationOf({ file, disabled, problems }: ReadMcpServers): object {
  return { file, disabled, problems };
}

function noteConfiguration(terminal: Terminal, read: ReadMcpServers): void {
  for (const line of configurationProblems(read)) terminal.note(line);
}
