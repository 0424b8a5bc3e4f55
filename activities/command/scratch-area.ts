import { randomUUID } from 'node:crypto';
import { checkValue } from '../../domain/kernel';
import { readlinkSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../store/blobs';
import { makeRoot } from '../../store/file/make-root';
import { undefinedIfMissing } from '../../store/file/os-errors';
import { ContentCache } from './content-cache';
import { identify, isRunning } from './sandbox/processes';
import { type PlacedFiles, removeEntry } from './scratch-folder';

/** A folder in which the commands of one agent run, one at a time. */
export interface Scratch {
  /** Folder of the copy of the workspace. */
  readonly work: string;
  readonly placed: PlacedFiles;
  isUsed: boolean;
}

interface KeptScratch extends Scratch {
  readonly folder: string;
  readonly agent: string;
  isBusy: boolean;
  lastUsed: number;
  bytes: number;
}

/** Maximum scratch folders of a worker that are kept for later commands. */
const maxFolders = 20;

/**
 * The folders in which a worker runs commands. Each agent has its own, and a second one for a command that runs at the same
 * time. They are kept for later commands of the agent, as far as there is room, and deleted with the worker: by itself
 * when it stops, or by the next worker that uses the same area if it was killed.
 */
export class ScratchArea {
  private readonly kept: KeptScratch[] = [];
  private opened: Promise<string> | undefined;
  private trimming: Promise<void> = Promise.resolve();
  private contents: ContentCache | undefined;

  constructor(
    private readonly base: string,
    private readonly maxBytes: number,
  ) {}

  /** Returns the folder of this worker, which is created when it is first needed. */
  open(): Promise<string> {
    this.opened ??= createOwn(this.base);
    return this.opened;
  }

  /** Returns the cache of file contents. */
  async cache(): Promise<ContentCache> {
    const own = await this.open();
    this.contents ??= new ContentCache(join(own, 'cache'));
    return this.contents;
  }

  /** Lends a scratch folder of an agent to one command. */
  async acquire(agent: string): Promise<Scratch> {
    const own = await this.open();
    await utimes(join(own, ownerFile), new Date(), new Date());
    const free = this.kept.find((scratch) => scratch.agent === agent && !scratch.isBusy);
    if (free !== undefined) {
      free.isBusy = true;
      return free;
    }
    const folder = join(own, `${sha256(Buffer.from(agent)).slice(0, 16)}-${randomUUID().slice(0, 8)}`);
    await mkdir(folder, { mode: 0o700 });
    const work = join(folder, 'work');
    const created = { folder, agent, work, placed: new Map(), isUsed: false, isBusy: true, lastUsed: 0, bytes: 0 };
    this.kept.push(created);
    return created;
  }

  /** Takes a scratch folder back. Deletes those that were not used for longest if they are too many or too large. */
  release(scratch: Scratch): void {
    const found = this.kept.find((kept) => kept === scratch);
    if (found === undefined) return;
    found.isBusy = false;
    found.lastUsed = Date.now();
    this.trimming = this.trimming.then(() => this.trim(found)).catch(() => undefined);
  }

  /** Resolves when what was released so far has been measured, and deleted if it did not fit. */
  settled(): Promise<void> {
    return this.trimming;
  }

  /** Deletes everything of this worker. No command may be running. */
  async close(): Promise<void> {
    await this.trimming;
    if (this.opened !== undefined) await removeEntry(await this.opened);
    this.opened = undefined;
    this.contents = undefined;
    this.kept.length = 0;
  }

  private async trim(used: KeptScratch): Promise<void> {
    used.bytes = await bytesIn(used.folder);
    const idle = this.kept.filter(({ isBusy }) => !isBusy).sort((a, b) => a.lastUsed - b.lastUsed);
    for (const scratch of idle) {
      const total = this.kept.reduce((sum, { bytes }) => sum + bytes, 0);
      if (this.kept.length <= maxFolders && total <= this.maxBytes) return;
      if (scratch.isBusy) continue;
      this.kept.splice(this.kept.indexOf(scratch), 1);
      await removeEntry(scratch.folder);
    }
  }
}

const ownerFile = 'owner.json';
const ownerSchema = z.object({ pid: z.int(), startedAt: z.string(), host: z.string(), namespace: z.string() });

/** A folder of a worker on another machine, or in another container, is deleted after this time without a command. */
const abandonedMs = 24 * 60 * 60 * 1_000;

async function createOwn(base: string): Promise<string> {
  await makeRoot(base);
  await removeAbandoned(base);
  const own = join(base, `worker-${process.pid}-${randomUUID().slice(0, 8)}`);
  await mkdir(own, { mode: 0o700 });
  const startedAt = identify(process.pid)?.startedAt ?? '';
  const owner = { pid: process.pid, startedAt, host: hostname(), namespace: pidNamespace() };
  await writeFile(join(own, ownerFile), JSON.stringify(owner), { mode: 0o600 });
  return own;
}

/** Deletes the folders of workers that have ended without doing so. */
export async function removeAbandoned(base: string): Promise<void> {
  const names = (await undefinedIfMissing(readdir(base))) ?? [];
  for (const name of names.filter((each) => each.startsWith('worker-'))) {
    const folder = join(base, name);
    // Another worker that starts may delete it at the same time.
    if (await isAbandoned(folder).catch(() => false)) await removeEntry(folder).catch(() => undefined);
  }
}

async function isAbandoned(folder: string): Promise<boolean> {
  const file = join(folder, ownerFile);
  const found = await undefinedIfMissing(stat(file)).catch(() => undefined);
  if (found === undefined) return Date.now() - (await stat(folder)).mtimeMs > abandonedMs;
  const text = await readFile(file, 'utf8').catch(() => '');
  const owner = checkValue(ownerSchema, parseJson(text)).data;
  if (owner === undefined || owner.host !== hostname() || owner.namespace !== pidNamespace())
    return Date.now() - found.mtimeMs > abandonedMs;
  if (process.platform === 'linux') return !isRunning(owner);
  return !canSignal(owner.pid);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function canSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Process ids mean nothing in another namespace, such as that of another container. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Adds up the bytes on disk of everything in a folder. */
async function bytesIn(folder: string): Promise<number> {
  let total = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) total += await bytesIn(path);
    else total += ((await undefinedIfMissing(lstat(path)).catch(() => undefined))?.blocks ?? 0) * 512;
  }
  return total;
}
