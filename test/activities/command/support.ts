import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandTool } from '../../../activities/command/command-tool';
import { type CommandEnvironment, Commands } from '../../../activities/command/commands';
import type { ToolReturn } from '../../../activities/tool/define-tool';
import type { CommandGrant } from '../../../domain/command';
import type { Json } from '../../../domain/kernel';
import { findSandbox } from '../../../temporal-config/node/find-sandbox';
import { ToolRunner } from '../tool/builtin/support';

const maxPayload = 16 * 1024;

/** An agent on a worker that runs commands. */
export class CommandRunner {
  private constructor(
    readonly files: ToolRunner,
    readonly commands: Commands,
    readonly scratchDir: string,
  ) {}

  static async with(
    files: Readonly<Record<string, string | Uint8Array>>,
    options: Partial<Omit<CommandEnvironment, 'sandbox'>> & { readonly sandbox?: string } = {},
  ): Promise<CommandRunner> {
    return CommandRunner.over(await ToolRunner.with(files), options);
  }

  static async over(
    files: ToolRunner,
    {
      sandbox = 'bwrap',
      ...options
    }: Partial<Omit<CommandEnvironment, 'sandbox'>> & { readonly sandbox?: string } = {},
  ): Promise<CommandRunner> {
    const scratchDir = options.scratchDir ?? (await mkdtemp(join(tmpdir(), 'baton-scratch-test-')));
    const commands = new Commands({ ...options, scratchDir, sandbox: await findSandbox(sandbox) });
    const runner = new CommandRunner(files, commands, scratchDir);
    opened.push(runner);
    return runner;
  }

  /** Runs a command, and applies its changes as the engine does. */
  run(command: string, more: { readonly [key: string]: Json } = {}, grant: CommandGrant = {}): Promise<ToolReturn> {
    return this.files.run(commandTool(this.commands, grant, maxPayload), { command, ...more });
  }

  /** Content of a file of the workspace; undefined if it does not exist. */
  async read(path: string): Promise<string | undefined> {
    const view = this.files.context.workspace;
    if ((await view?.stat(path)) === undefined) return undefined;
    return Buffer.from((await view?.read(path)) ?? []).toString('utf8');
  }
}

let opened: CommandRunner[] = [];

/** Deletes everything that the runners of a test have left. Call it in `afterEach`. */
export async function closeRunners(): Promise<void> {
  for (const { commands, scratchDir } of opened) {
    await commands.close();
    await rm(scratchDir, { recursive: true, force: true });
  }
  opened = [];
}
