import { Command } from 'commander';
import type { Terminal } from '../context';
import { collectNames, filledText } from '../options';
import { type ImportOptions, importSkills } from './import-skills';
import { type ReadServed, readServed } from './read-served';

/** `baton skills import`: writes prompts and skills of an MCP server to skill files. Needs no Temporal server. */
export function importCommand(terminal: Terminal, read: ReadServed = readServed): Command {
  return new Command('import')
    .description('import prompts and skills of an MCP server as skill files')
    .argument('[name...]', 'names of prompts and skills on the server (default: all)')
    .requiredOption('--mcp <server>', 'name of the MCP server', filledText)
    .option(
      '--mcp-config <file>',
      'file with the MCP servers (default: $BATON_MCP_CONFIG, or .mcp.json of the project)',
    )
    .option('--prompts', 'import only prompts')
    .option('--skills', 'import only skills')
    .option('--arg <name=value>', 'fixed value for an argument of a prompt; repeatable', collectNames)
    .option('--dir <folder>', 'project folder', '.')
    .option('--dry-run', 'print the files instead of writing them')
    .option('--force', 'replace skills that exist')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (names: string[], options: ImportOptions) => {
      await importSkills(terminal, names, options, read);
    });
}

const help = `
A prompt becomes a skill whose input are the prompt's arguments. A skill of the server is imported only if it has the digest
that the server publishes. Files are written to .baton/skills/ of the project: read them before you use them.

Examples:
  $ baton skills import --mcp everything --dry-run
  $ baton skills import --mcp everything args-prompt
  $ baton skills import --mcp everything completable-prompt --arg department=Engineering --arg name=Alice
`;
