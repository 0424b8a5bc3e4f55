import { Command } from 'commander';
import { checkRelayInput } from '../../client/agent/start';
import { readRelayFile } from '../../definitions/relay/load-relays';
import { loadSkills } from '../../definitions/skill/load-skills';
import type { RelayDefinition } from '../../domain/relay';
import { formatDiagnostic } from '../../domain/skill';
import { startAndFollow } from '../agent/run';
import { type CliContext, CliError, exitCodes, type Terminal } from '../context';
import { find } from '../definition-commands';
import { namingOptions, runSettingsFrom, runOptions, type RunOptions } from '../run-options';
import { relaysOf } from './relays';

interface RelayOptions extends RunOptions {
  readonly goal: string;
}

/** `baton relay`: starts a relay. */
export function relayCommand(context: CliContext): Command {
  const command = new Command('relay')
    .description('start a chain of skills that pass artifacts on, such as research, plan, execute, verify')
    .argument('<relay>', 'name of a relay (list them with: baton relays list), or a file')
    .requiredOption('-g, --goal <text>', 'goal of the relay');
  return runOptions(command)
    .addHelpText('after', examples)
    .action(async (name: string, options: RelayOptions) => {
      const settings = await runSettingsFrom(context, options);
      const relay = await relayNamed(context.terminal, name);
      const root = namingOptions(() => checkRelayInput({ ...settings, goal: options.goal, relay }));
      await startAndFollow(context, options, root);
    });
}

const examples = `
Relays are read from this folder's .baton/relays/ and from Baton's own, whatever --workspace is. The relay is pinned when
the command runs; the skills come from the worker. The budget covers all steps.

Examples:
  $ baton relay feature --goal "Add OAuth" --workspace . --follow
  $ baton relay drafts/review.yaml --goal "Review the last change" --workspace .
  $ id=$(baton relay feature --goal "Add OAuth" -w .) && baton tail $id
`;

/** The folder with the project's relays and skills. The worker reads skills there too, whatever folder a run mounts. */
const project = '.';

/** Reads a relay from a file if the name contains a folder or ends like a file, and looks it up by name otherwise. */
async function relayNamed(terminal: Terminal, name: string): Promise<RelayDefinition> {
  if (!/[/\\]|\.(?:ya?ml|json)$/.test(name)) return find({ plural: 'relays' }, await relaysOf(project), name).relay;
  const { skills } = await loadSkills(project);
  const { relays, findings } = await readRelayFile(name, name, 'project', (skill) => {
    return skills.find((loaded) => loaded.skill.name === skill)?.skill;
  });
  for (const finding of findings) terminal.note(formatDiagnostic(finding));
  const [loaded] = relays;
  if (loaded !== undefined) return loaded.relay;
  throw new CliError(
    exitCodes.misused,
    `${name} is not a valid relay.`,
    'Fix the errors above; the format is described in docs/relays.md.',
  );
}
