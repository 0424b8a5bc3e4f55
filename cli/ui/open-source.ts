import { setTimeout as delay } from 'node:timers/promises';
import type { CliContext, OpenConnection } from '../context';
import { explain } from '../explain';
import { unreachable, whyNotServer } from '../from-store';
import { connectionOf, librarySource } from './serve';
import type { LibrarySource } from './source/library-source';

/** How often a server is looked for while none answers. */
const lookMs = 3_000;

/** What the page reads from, until it is closed. */
interface OpenedSource {
  readonly source: LibrarySource;
  close(): Promise<void>;
}

/**
 * Opens the server and the store. If no server answers, says why and what to do, and opens the store alone until one
 * does. Throws the error of the server if the store can't be opened either.
 */
export async function openSource(context: CliContext): Promise<OpenedSource> {
  const connected = await reach(context);
  if (!(connected instanceof Error))
    return { source: await librarySource(context, connected), close: () => connected.close() };
  await context.openStore().catch(() => Promise.reject(connected));
  const { message, remedy = '' } = explain(connected);
  const whyNoServer = [`${message}.`, remedy].filter(Boolean).join(' ');
  context.terminal.note(`${whyNoServer} Until then, this shows what the store has.`);
  const source = await librarySource(context, null, { whyNoServer });
  const stopped = new AbortController();
  const connecting = connectLater(context, source, stopped.signal);
  return {
    source,
    async close() {
      stopped.abort();
      await (await connecting)?.close();
    },
  };
}

/** Connects. Returns the error if no server answers. */
async function reach(context: CliContext): Promise<OpenConnection | Error> {
  try {
    return await context.connect();
  } catch (error) {
    if (error instanceof Error && whyNotServer(error, '') === unreachable) return error;
    throw error;
  }
}

/** Looks for a server until one answers, and lets the source read from it. */
async function connectLater(
  context: CliContext,
  source: LibrarySource,
  signal: AbortSignal,
): Promise<OpenConnection | undefined> {
  try {
    for (;;) {
      await delay(lookMs, undefined, { signal });
      // What is wrong with the settings may be corrected as well, in a file.
      const connected = await context.connect().catch(() => undefined);
      if (connected === undefined) continue;
      source.connect(connectionOf(connected));
      context.terminal.note(`Connected to Temporal at ${connected.address ?? 'its address'}.`);
      return connected;
    }
  } catch {
    // It was closed before a server answered.
    return undefined;
  }
}
