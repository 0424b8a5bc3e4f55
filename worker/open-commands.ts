import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandEnvironment, Commands } from '../activities/command/commands';
import { InvalidInputError } from '../domain/kernel';
import { findSandbox, sandboxSetting } from '../temporal-config/node/find-sandbox';

/** Options of commands. `sandbox` is a value of BATON_SANDBOX, and `scratchDir` a folder. Both have defaults. */
export interface CommandOptions extends Partial<Omit<CommandEnvironment, 'sandbox'>> {
  /** `auto`, `bwrap`, `docker:<image>`, `podman:<image>`, `unsafe` or `off`. Default: `auto`. */
  readonly sandbox?: string | undefined;
}

/** Finds the sandbox for commands, and deletes what killed workers have left. */
export async function openCommands({ sandbox: setting = 'auto', ...options }: CommandOptions = {}): Promise<Commands> {
  if (!sandboxSetting.test(setting)) {
    const remedy = 'Use auto, bwrap, docker:<image>, podman:<image>, unsafe or off.';
    throw new InvalidInputError('commands.sandbox', `"${setting}" is not allowed`, remedy);
  }
  const missing = options.readOnly?.find((folder) => !existsSync(folder));
  if (missing !== undefined) {
    const remedy = 'Correct BATON_COMMAND_PATHS, or the option commands.readOnly.';
    throw new InvalidInputError('commands.readOnly', `the folder "${missing}" does not exist`, remedy);
  }
  const scratchDir = options.scratchDir ?? join(tmpdir(), `baton-scratch-${process.getuid?.() ?? 0}`);
  const commands = new Commands({ ...options, scratchDir, sandbox: await findSandbox(setting) });
  await commands.cleanUp().catch((error: unknown) => {
    const reason = `"${scratchDir}" can't be used: ${error instanceof Error ? error.message : String(error)}`;
    throw new InvalidInputError('commands.scratchDir', reason, 'Correct BATON_SCRATCH_DIR, or the option.');
  });
  return commands;
}
