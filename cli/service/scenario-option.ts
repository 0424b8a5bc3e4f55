import { describeScenarios, findScenario, scenarios, type Script } from '../../testing/scripted-model';
import { CliError, exitCodes } from '../context';

/** Names of all scenarios, for help and messages. */
export const scenarioNames = Object.entries(scenarios)
  .map(([name, { number }]) => (number === undefined ? name : `${name}[:n]`))
  .join(', ');

/** What `baton dev --scripted help` prints. */
export function scenarioHelp(): string {
  return `${intro}\n\n${describeScenarios()}`;
}

const intro = `In one terminal, in the folder of a project: baton dev --scripted
Then, in another one, the commands below. The goal chooses the scenario; other
goals get the explorer. n is a number, such as 60 in "scenario: turns:60".
To play one scenario whatever the goals are: baton dev --scripted turns:60`;

/** Returns the script of the option's value. Without a name, each run's goal chooses. */
export function scriptNamed(scripted: boolean | string): Script {
  const name = typeof scripted === 'string' ? scripted : 'all';
  const script = findScenario(name);
  if (script !== undefined) return script;
  throw new CliError(
    exitCodes.misused,
    `Unknown scenario "${name}".`,
    `Use one of: ${scenarioNames}. What they do, and what to type: baton dev --scripted help`,
  );
}

/** Says in a sentence what the model will do. */
export function whatIsPlayed(scripted: boolean | string | undefined): string {
  return typeof scripted === 'string' && scripted !== 'all'
    ? `it plays the scenario "${scripted}", whatever the goal.`
    : 'it explores the workspace and reports, unless the goal names a scenario (baton dev --scripted help).';
}

/** Returns the commands that show what a started model does. */
export function whatToType(scripted: boolean | string | undefined): string {
  const [name = ''] = typeof scripted === 'string' ? scripted.split(':') : [];
  const commands = Object.hasOwn(scenarios, name) ? scenarios[name]?.commands : undefined;
  if (commands === undefined) return ' baton run "Summarize this project" --workspace . --follow';
  return commands.map((command) => `\n  ${command}`).join('');
}
