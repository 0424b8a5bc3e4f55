import { z } from 'zod';
import { checkValue } from '../kernel';

/** Maximum seconds of one command that any setting allows. */
export const maxCommandSeconds = 3_600;

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be the name of an environment variable');

/** What an agent that may run commands is granted. An empty object grants commands without network. */
export const commandSettingsSchema = z.strictObject({
  /** Whether commands have network access. Default: false. */
  network: z.boolean().optional(),
  /** Names of environment variables of the worker that commands see. The worker must allow each. Default: none. */
  env: z.array(variable).max(50).optional(),
  /**
   * Commands that may run again after a worker died in the middle of them: the whole command, or its beginning followed
   * by ` *`, which matches any arguments without shell operators. Default: none.
   */
  safeToRepeat: z.array(z.string().min(1).max(200)).max(50).optional(),
  /** Maximum seconds of one command. Default: the maximum of the worker. */
  maxSeconds: z.int().min(1).max(maxCommandSeconds).optional(),
});
export type CommandSettings = Readonly<z.infer<typeof commandSettingsSchema>>;

/** The settings that running one command needs. */
export const commandGrantSchema = commandSettingsSchema.omit({ safeToRepeat: true });
export type CommandGrant = Readonly<z.infer<typeof commandGrantSchema>>;

/**
 * Combines what a run and a skill grant. A run that grants commands without network keeps them without network: a skill
 * file can't raise that. What the run says nothing about is granted by the skill alone.
 */
export function narrowCommands(ofRun: CommandSettings | undefined, ofSkill: CommandSettings): CommandSettings {
  if (ofRun === undefined) return ofSkill;
  const seconds = [ofRun.maxSeconds, ofSkill.maxSeconds].filter((value) => value !== undefined);
  const env = distinct([...(ofRun.env ?? []), ...(ofSkill.env ?? [])]);
  const safeToRepeat = distinct([...(ofRun.safeToRepeat ?? []), ...(ofSkill.safeToRepeat ?? [])]);
  return {
    ...(ofRun.network === true && ofSkill.network === true ? { network: true } : {}),
    ...(env.length === 0 ? {} : { env }),
    ...(safeToRepeat.length === 0 ? {} : { safeToRepeat }),
    ...(seconds.length === 0 ? {} : { maxSeconds: Math.min(...seconds) }),
  };
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** Characters with which a shell does more than run one program with arguments. */
const shellOperators = /[;&|<>`$(){}\\\n\r]/;
const anyArguments = ' *';

/** Returns whether a command is one of those that are declared safe to repeat. `input` is the JSON of the tool call. */
export function isSafeToRepeat({ safeToRepeat = [] }: CommandSettings, input: string): boolean {
  const command = commandIn(input);
  return command !== undefined && safeToRepeat.some((pattern) => matchesCommand(pattern, command));
}

/** Returns whether a command matches a pattern of `safeToRepeat`. */
export function matchesCommand(pattern: string, command: string): boolean {
  const given = command.trim();
  if (!pattern.endsWith(anyArguments)) return given === pattern.trim();
  const start = pattern.slice(0, -anyArguments.length).trim();
  if (given === start) return true;
  return given.startsWith(`${start} `) && !shellOperators.test(given.slice(start.length));
}

function commandIn(input: string): string | undefined {
  try {
    return checkValue(z.object({ command: z.string() }), JSON.parse(input)).data?.command;
  } catch {
    return undefined;
  }
}
