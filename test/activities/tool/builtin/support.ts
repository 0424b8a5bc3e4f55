import { type Tool, type ToolContext, ToolError, type ToolReturn } from '../../../../activities/tool/define-tool';
import { type importFolder as Import, importFolder } from '../../../../activities/workspace/import-folder';
import { openWorkspace } from '../../../../activities/workspace/stored-workspace';
import type { Json } from '../../../../domain/kernel';
import type { BlobRef } from '../../../../domain/store';
import type { FileChange } from '../../../../domain/workspace';
import { foldChanges } from '../../../../store/workspace/fold';
import { MemoryRunStore } from '../../../store/support/memory-run-store';
import { folderWith } from '../../../store/workspace/support';

/** The files and artifacts of an agent, on which tools run as in the engine. */
export class ToolRunner {
  readonly store = new MemoryRunStore();
  readonly artifacts: { name: string; ref: BlobRef }[] = [];
  changes: FileChange[] = [];
  root: BlobRef | undefined;
  signal = new AbortController().signal;
  agent = 'run/r1';

  static async with(
    files: Readonly<Record<string, string | Uint8Array>>,
    options: Parameters<typeof Import>[2] = {},
  ): Promise<ToolRunner> {
    return ToolRunner.over(await folderWith(files), options);
  }

  static async over(folder: string, options: Parameters<typeof Import>[2] = {}): Promise<ToolRunner> {
    const runner = new ToolRunner();
    runner.root = (await importFolder(runner.store, folder, options)).root;
    return runner;
  }

  get context(): ToolContext {
    const { root, changes, artifacts, store, signal, agent } = this;
    const workspace = root === undefined ? undefined : openWorkspace(store, { root, changes });
    return { workspace, blobs: store, artifacts, slices: {}, agent, key: 'key-1', signal };
  }

  /** Runs a tool, and applies the events that it returns. */
  async run(tool: Tool, input: Json): Promise<ToolReturn> {
    const result = await tool.run(input, this.context);
    this.changes.push(...(result.changes ?? []));
    return result;
  }

  /** Runs a tool and returns its message; fails if the call fails. */
  async say(tool: Tool, input: Json): Promise<string> {
    const { message, isError } = await this.run(tool, input);
    if (isError === true) throw new Error(`refused: ${message}`);
    return message;
  }

  /** Runs a tool that is expected to fail, in any way, and returns the message. */
  async refusal(tool: Tool, input: Json): Promise<string> {
    const result = await this.run(tool, input).catch((error: unknown) => {
      if (error instanceof ToolError) return { isError: true, message: error.message };
      throw error;
    });
    if (result.isError !== true) throw new Error(`not refused: ${result.message}`);
    return result.message;
  }

  async fold(): Promise<void> {
    if (this.root !== undefined) this.root = await foldChanges(this.store, this.root, this.changes.splice(0));
  }
}
