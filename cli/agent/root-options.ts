import { type Command, InvalidArgumentError } from 'commander';
import { loadSkills } from '../../definitions/skill/load-skills';
import type { RunInput } from '../../domain/agent';
import { InvalidInputError, type Json, parseStrictJson, uncheckedJson } from '../../domain/kernel';
import { InvalidSkillInputError, type SkillDefinition, validateSkillInput } from '../../domain/skill';
import { filledText } from '../options';

/** Options that decide what the root agent of a run is. */
export interface RootOptions {
  readonly prompt?: NonNullable<RunInput['prompt']>;
  readonly param?: Values;
  readonly skill?: string;
  readonly input?: Values;
}

/** Values of a repeatable option `name=value`, by name. */
type Values = Readonly<Record<string, string>>;

/** Adds the options that start a run with a registered prompt or with a skill. */
export function rootOptions(command: Command): Command {
  return command
    .option('--prompt <ns/key>', "a prompt of the worker to use instead of Baton's own", promptName)
    .option('--param <name=value>', 'value of a parameter of the prompt; repeatable', collectValues)
    .option('--skill <name>', 'a skill that the agent has, instead of a prompt', filledText)
    .option('--input <name=value>', 'field of the input of the skill; repeatable', collectValues);
}

function promptName(text: string): NonNullable<RunInput['prompt']> {
  const [, ns, key] = /^([^/\s]+)\/([^/\s]+)$/.exec(text) ?? [];
  if (ns !== undefined && key !== undefined) return { ns, key };
  throw new InvalidArgumentError('Must be a namespace and a key, such as acme/reviewer.');
}

function collectValues(text: string, given: Values = {}): Values {
  const at = text.indexOf('=');
  const name = text.slice(0, at).trim();
  if (at === -1 || name === '') throw new InvalidArgumentError('Must be a name and a value, such as goal="Add OAuth".');
  if (Object.hasOwn(given, name)) throw new InvalidArgumentError(`"${name}" is given twice.`);
  return { ...given, [name]: text.slice(at + 1) };
}

/**
 * Returns what the root agent works on. Throws an `InvalidInputError` for what can be told without the worker: it alone
 * knows its prompts, and may have other skills than this folder.
 */
export async function rootFrom(
  goal: string | undefined,
  options: RootOptions,
): Promise<Pick<RunInput, 'goal' | 'prompt' | 'skill'>> {
  const { prompt, param, skill, input } = options;
  requireTogether(options, goal);
  const given = goal === undefined ? {} : { goal };
  if (prompt !== undefined)
    return { ...given, prompt: { ...prompt, ...(param === undefined ? {} : { parameters: param }) } };
  return skill === undefined ? given : { ...given, skill: await skillFrom(skill, { ...given, ...input }, input) };
}

function requireTogether({ prompt, param, skill, input }: RootOptions, goal: string | undefined): void {
  const refuse = (option: string, reason: string, remedy: string): never => {
    throw new InvalidInputError(option, reason, remedy);
  };
  if (prompt !== undefined && skill !== undefined)
    refuse('--skill', 'a run has a prompt or a skill, not both', 'Omit one of --prompt and --skill.');
  if (param !== undefined && prompt === undefined) refuse('--param', 'it belongs to a prompt', 'Add --prompt ns/key.');
  if (input !== undefined && skill === undefined) refuse('--input', 'it belongs to a skill', 'Add --skill name.');
  if (goal === undefined && prompt === undefined && skill === undefined)
    refuse('goal', 'it is missing', 'Pass a goal, --prompt ns/key or --skill name.');
  if (goal !== undefined && (param?.['goal'] ?? input?.['goal']) !== undefined)
    refuse('goal', 'it is given twice', 'Pass it as the argument or as an option.');
}

/** Checks the input of a skill that this folder has. For any other, the worker does. */
async function skillFrom(name: string, all: Values, given: Values = {}): Promise<NonNullable<RunInput['skill']>> {
  const { skills } = await loadSkills('.');
  const known = skills.find(({ skill }) => skill.name === name)?.skill;
  const read = (values: Values): Record<string, Json> =>
    Object.fromEntries(Object.entries(values).map(([field, text]) => [field, valueOf(known, field, text)]));
  if (known !== undefined) requireAccepted(known, read(all));
  return { name, ...(Object.keys(given).length === 0 ? {} : { input: read(given) }) };
}

/** A field that is not a text is written as JSON. */
function valueOf(skill: SkillDefinition | undefined, field: string, text: string): Json {
  const { properties = {} } = skill?.input ?? {};
  const type = Object.hasOwn(properties, field) ? properties[field]?.type : undefined;
  if (type === undefined || type === 'string') return text;
  try {
    return uncheckedJson.parse(parseStrictJson(text));
  } catch {
    throw new InvalidInputError(`--input ${field}`, `"${text}" is not ${type} as JSON`, 'Correct this value.');
  }
}

function requireAccepted(skill: SkillDefinition, input: Readonly<Record<string, Json>>): void {
  try {
    validateSkillInput(skill, input);
  } catch (error) {
    if (!(error instanceof InvalidSkillInputError)) throw error;
    const { properties = {}, required = [] } = skill.input;
    const fields = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name} (optional)`));
    throw new InvalidInputError(
      error.field === 'input' ? '--input' : `--input ${error.field}`,
      error.reason,
      `The input of skill "${skill.name}": ${fields.join(', ') || 'nothing'}.`,
    );
  }
}
