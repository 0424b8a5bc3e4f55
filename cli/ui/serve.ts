import { type CliContext, CliError, exitCodes, type OpenConnection } from '../context';
import { currentUser } from '../operator/decision-options';
import { readManifest } from '../package';
import { type PageFile, readPageFile } from './http/page-file';
import { startUiServer, type UiServer } from './http/ui-server';
import { LibrarySource, type LibrarySources } from './source/library-source';

/** Port that is tried first, so that what a page remembers by its address is there again. */
export const usualPort = 7420;

/** Options of `serveUi`. */
export interface ServeOptions {
  readonly port: number;
  readonly mayMove: boolean;
  readonly isReadOnly: boolean;
}

/** Reads the page. Throws a `CliError` if it has not been built. */
export function readBuiltPage(): PageFile {
  const page = readPageFile();
  if (page !== undefined) return page;
  throw new CliError(exitCodes.unavailable, 'The page is not built.', 'In a checkout of Baton, run: npm run build');
}

/** Creates a source on the server and the store of the command line, or on the store alone. */
export async function librarySource(
  context: CliContext,
  connected: OpenConnection | null,
  options: Pick<LibrarySources, 'isReadOnce' | 'whyNoServer'> = {},
): Promise<LibrarySource> {
  // Without the store, the page shows what the server knows, and says what is missing.
  const store = await context.openStore().catch(() => undefined);
  return new LibrarySource({ ...connectionOf(connected), store, ...options });
}

/** What a source needs of a connection. */
export function connectionOf(connected: OpenConnection | null): Pick<LibrarySources, 'client' | 'about'> {
  const { client = null, namespace = '', uiUrl = null, address = '' } = connected ?? {};
  return { client, about: { address, namespace, user: currentUser(), webUi: uiUrl } };
}

/** Starts the page's server. Throws a `CliError` if it can't. */
export async function serveUi(source: LibrarySource, { port, ...options }: ServeOptions): Promise<UiServer> {
  const page = readBuiltPage();
  try {
    return await startUiServer(source, { page, version: readManifest().version, port, ...options });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? `Port ${port} is taken.` : `Port ${port} can't be used: ${message}`;
    throw new CliError(
      exitCodes.unavailable,
      reason,
      'Pass another one with --port, or omit --port for the next free one.',
    );
  }
}
