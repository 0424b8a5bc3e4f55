import { z } from 'zod';
import type { ToolDescription } from '../tool';
import { type CommandGrant, maxCommandSeconds } from './command-settings';

/** Name of the tool that runs commands. Only agents that were granted commands have it. */
export const runCommandName = 'run_command';

/** Seconds after which a command is ended, unless the call says otherwise. */
export const defaultCommandSeconds = 120;

/** No operating system starts a program with a zero byte in its arguments. */
const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a zero byte');

/** Parameters of `run_command`. */
export const runCommandSchema = z.strictObject({
  command: text.min(1).max(20_000),
  cwd: text.min(1).max(1_000).optional(),
  timeout_seconds: z.int().min(1).max(maxCommandSeconds).optional(),
});
export type RunCommandInput = Readonly<z.infer<typeof runCommandSchema>>;

const purpose =
  'Runs a shell command, such as the tests of the project, and returns its exit code and the end of its output. It runs in a copy of the workspace as it was at the beginning of this turn. Files that it creates, changes or deletes become changes of the workspace, which you see from your next turn on. Files that .gitignore excludes, such as node_modules, are not part of the workspace: they may still be there at your next call, but do not rely on it. Each call starts a new shell with an empty standard input and an empty /tmp; when it ends, its background processes are ended too.';

/** Describes `run_command` to an agent with this grant. */
export function runCommandDescription({ network = false, maxSeconds }: CommandGrant): ToolDescription {
  const reach = network ? 'Commands have network access.' : 'Commands have no network access.';
  const longest = maxSeconds === undefined ? '' : ` A command may take ${maxSeconds} seconds at most.`;
  return {
    name: runCommandName,
    id: 'baton/run_command@1',
    description: `${purpose} ${reach}${longest}`,
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'The command, for bash, or for sh if bash is not installed' },
        cwd: { type: 'string', description: 'Folder to run it in, relative to the workspace root; default: the root' },
        timeout_seconds: {
          type: 'integer',
          minimum: 1,
          maximum: maxSeconds ?? maxCommandSeconds,
          description: `Seconds after which the command is ended; default ${defaultCommandSeconds}`,
        },
      },
      required: ['command'],
      additionalProperties: false,
    },
    success: 'The exit code, the end of the output, and the files that the command changed.',
    cost: 'Takes as long as the command; the shown output counts as input tokens.',
    safeToRepeat: false,
  };
}
