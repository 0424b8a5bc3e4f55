import { say } from '../reply';
import type { Script } from '../script';
import { scenarios } from './catalogue';
import { playSkills } from './skills';

export { type Scenario, scenarios } from './catalogue';

/** Returns the script for a name; undefined when it is unknown. `all` lets each run's goal choose. */
export function findScenario(name: string): Script | undefined {
  if (name === 'all') return scenarioOfGoal();
  const [, base = '', count] = /^([a-z-]+)(?::(\d+))?$/.exec(name) ?? [];
  const known = Object.hasOwn(scenarios, base) ? scenarios[base] : undefined;
  return known?.create(count === undefined ? undefined : Number(count));
}

/**
 * Plays the scenario that the goal of a run names, such as `scenario: parked`, and the explorer if it names none. A
 * delegation plays that of its run, whose goal is in its prompt. A skill's prompt has no goal: it is played by its name.
 */
function scenarioOfGoal(): Script {
  const scripts = new Map<string, Script>();
  return playSkills((call) => {
    const name = /\bscenario: ([\w:-]+)/.exec(call.systemText)?.[1] ?? 'explorer';
    const script = scripts.get(name) ?? findScenario(name);
    if (script === undefined) return say(`The scenario "${name}" does not exist. Goals that name one:\n${goals()}`);
    scripts.set(name, script);
    return script(call);
  });
}

function goals(): string {
  return Object.keys(scenarios)
    .map((name) => `- scenario: ${name}`)
    .join('\n');
}

/** Describes every scenario, with the commands to type. */
export function describeScenarios(): string {
  return Object.entries(scenarios)
    .map(([name, { summary, number, commands }]) => {
      const title = number === undefined ? name : `${name}[:n]`;
      const lines = [`${title.padEnd(15)}${summary}${number === undefined ? '' : `; n: ${number}`}`];
      return [...lines, ...commands.map((command) => `    ${command}`)].join('\n');
    })
    .join('\n\n');
}
