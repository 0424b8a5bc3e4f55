import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CommandGrant,
  defaultCommandSeconds,
  describeCommand,
  endOfOutput,
  type OutputText,
  plainOutput,
  runCommandDescription,
  type RunCommandInput,
  runCommandSchema,
} from '../../domain/command';
import { mediaTypes } from '../../domain/store';
import { contentRef } from '../../domain/workspace';
import { folderPath } from '../tool/builtin/files';
import { defineTool, type Tool, type ToolContext, ToolError, type ToolReturn } from '../tool/define-tool';
import { type CollectedChanges, collectChanges, TooManyChangesError } from './collect-changes';
import type { Commands } from './commands';
import { formatLimit } from './limits';
import { listWorkspace, materialise, type WorkspaceListing } from './materialise';
import { CommandNotStartedError, freeBytesAt, type ProcessResult, runProcess } from './run-process';
import type { Scratch } from './scratch-area';

/** Returns the tool `run_command` of an agent with this grant. */
export function commandTool(commands: Commands, grant: CommandGrant, maxPayload: number): Tool {
  const description = runCommandDescription(grant);
  const { inputSchema: _schema, ...spec } = description;
  const tool = defineTool({
    ...spec,
    reads: [],
    parameters: runCommandSchema,
    run: (input, context) => runCommand({ commands, grant, maxPayload, context }, input),
  });
  return { ...tool, description };
}

interface Call {
  readonly commands: Commands;
  readonly grant: CommandGrant;
  /** Maximum bytes of the changes that one call can record. */
  readonly maxPayload: number;
  readonly context: ToolContext;
}

async function runCommand(call: Call, input: RunCommandInput): Promise<ToolReturn> {
  const { commands, grant, context } = call;
  const { area, limits } = commands;
  const seconds = secondsFor(call, input);
  const cwd = input.cwd === undefined ? '' : folderPath(input.cwd);
  const env = commands.variables(grant.env ?? []);
  const confinement = await commands.confinement();
  const scratch = await area.acquire(context.agent);
  try {
    await requireRoom(await area.open(), limits.freeBytes);
    const workspace = await prepare(call, scratch);
    await requireFolder(scratch, cwd, input.cwd ?? '');
    const begunAt = Date.now();
    scratch.isUsed = true;
    const { work: folder } = scratch;
    const request = { command: input.command, folder, cwd, env, network: grant.network === true, limits, seconds };
    const ended = await runProcess(confinement, request, context.signal);
    return await report(call, input.command, ended, await collect(call, { ...scratch, begunAt }, workspace));
  } catch (error) {
    if (error instanceof CommandNotStartedError) throw new ToolError(`The command was not started: ${error.message}`);
    throw error;
  } finally {
    area.release(scratch);
  }
}

function secondsFor({ commands, grant }: Call, { timeout_seconds: wanted }: RunCommandInput): number {
  const most = Math.min(commands.limits.maxSeconds, grant.maxSeconds ?? Infinity);
  if (wanted !== undefined && wanted > most) throw new ToolError(`timeout_seconds may be ${most} at most.`);
  return wanted ?? Math.min(defaultCommandSeconds, most);
}

async function requireRoom(folder: string, freeBytes: number): Promise<void> {
  if ((await freeBytesAt(folder)) >= freeBytes) return;
  throw new ToolError(
    `The command was not started: the disk of the worker is almost full (less than ${formatLimit(freeBytes)} is free). Try again later.`,
  );
}

async function prepare({ commands, context }: Call, scratch: Scratch): Promise<WorkspaceListing> {
  const { workspace: view, blobs, signal } = context;
  const workspace = await listWorkspace(view);
  const cache = await commands.area.cache();
  await materialise(
    scratch,
    workspace,
    {
      cache,
      // The view reads files past the cache in memory, which they would only displace.
      read: (entry) =>
        entry.kind === 'file' && view !== undefined
          ? view.read(entry.path)
          : blobs.get(contentRef(entry), `link "${entry.path}" of the workspace`),
    },
    signal,
  );
  return workspace;
}

async function requireFolder({ work }: Scratch, cwd: string, given: string): Promise<void> {
  const found = await stat(join(work, cwd)).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new ToolError(`cwd: "${given}" is not a folder of the workspace.`);
}

const nothing: CollectedChanges = { changes: [], files: { created: [], edited: [], deleted: [] }, remarks: [] };

/** Collects the changes. What can't be recorded is an error for the model, which still sees the output. */
async function collect(
  { commands, context, maxPayload }: Call,
  scratch: Scratch & { readonly begunAt: number },
  workspace: WorkspaceListing,
): Promise<CollectedChanges & { readonly isRefused?: true }> {
  if (context.workspace === undefined)
    return { ...nothing, remarks: ['This run has no workspace: files that the command wrote are not kept.'] };
  try {
    return await collectChanges(scratch, workspace, commands.limits, { store: context.blobs, maxPayload });
  } catch (error) {
    if (!(error instanceof TooManyChangesError)) throw error;
    return { ...nothing, remarks: [`No change of files was recorded: ${error.message}.`], isRefused: true };
  }
}

async function report(
  { context }: Call,
  command: string,
  { ending, limit, exitCode, seconds, stdout, stderr }: ProcessResult,
  collected: CollectedChanges & { readonly isRefused?: true },
): Promise<ToolReturn> {
  const outputs: OutputText[] = [
    { name: 'stdout', text: plainOutput(stdout.toString('utf8')) },
    { name: 'stderr', text: plainOutput(stderr.toString('utf8')) },
  ];
  const { changes, files, remarks, isRefused = false } = collected;
  const artifact = outputs.every(({ text }) => endOfOutput(text).isWhole)
    ? undefined
    : await storeOutput(context, command, outputs);
  return {
    message: describeCommand({ ending, limit, exitCode, seconds, outputs, files, remarks, artifact: artifact?.name }),
    isError: ending !== 'exited' || exitCode !== 0 || isRefused,
    changes,
    ...(artifact === undefined ? {} : { events: [{ type: 'artifactWritten', value: artifact }] }),
  };
}

const shortHash = 12;

async function storeOutput({ blobs, agent }: ToolContext, command: string, outputs: readonly OutputText[]) {
  const parts = outputs.map(({ name, text }) => `--- ${name}\n${text}${text.endsWith('\n') ? '' : '\n'}`);
  const bytes = Buffer.from([`$ ${command}\n`, ...parts].join('\n'), 'utf8');
  const ref = await blobs.put(bytes, mediaTypes.text);
  // Named after its content, so that two commands never overwrite each other's output.
  return { name: `commands/${ref.hash.slice(0, shortHash)}.txt`, ref: { ...ref }, by: agent };
}
