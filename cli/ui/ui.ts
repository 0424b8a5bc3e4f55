import { Command, InvalidArgumentError } from 'commander';
import { describeRun } from '../../client/agent/outcome';
import type { CliContext } from '../context';
import { fromServerOrStore } from '../from-store';
import { wholeNumber } from '../options';
import { untilStopped } from '../signals';
import { openInBrowser } from './open-browser';
import { openSource } from './open-source';
import { serveUi, usualPort } from './serve';

interface UiOptions {
  readonly port?: number;
  /** False with `--no-open`. */
  readonly open: boolean;
  readonly readOnly?: boolean;
}

/** `baton ui`: shows runs in a browser, live. */
export function uiCommand(context: CliContext): Command {
  return new Command('ui')
    .description('show runs in a browser, live: tree, timeline, conversations, incidents to answer')
    .argument('[run]', 'id of the run to open first')
    .option('--port <n>', `port on 127.0.0.1 (default: ${usualPort}, or the next free one)`, portNumber)
    .option('--no-open', 'only print the address')
    .option('--read-only', 'refuse everything that would change a run')
    .addHelpText('after', examples)
    .action(async (runId: string | undefined, { port, open, readOnly = false }: UiOptions) => {
      if (runId !== undefined) await requireRun(context, runId);
      const { source, close } = await openSource(context);
      try {
        const server = await serveUi(source, {
          port: port ?? usualPort,
          mayMove: port === undefined,
          isReadOnly: readOnly,
        });
        const { terminal } = context;
        try {
          const address = server.address(runId);
          terminal.print(address);
          terminal.note(
            `Showing runs${readOnly ? ', read-only' : ''}. Whoever has this address can ${readOnly ? 'read' : 'read and control'} them. Stop with Ctrl-C.`,
          );
          if (open && terminal.isInteractive) await openInBrowser(address);
          await untilStopped();
        } finally {
          await server.close();
        }
      } finally {
        await close();
      }
    });
}

/** Fails at once if neither the server nor the store has the run: a page about nothing would only look broken. */
async function requireRun(context: CliContext, runId: string): Promise<void> {
  await fromServerOrStore<unknown>(context, runId, {
    server: ({ client }) => describeRun(client, runId),
    store: () => undefined,
  });
}

function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}

const examples = `
The page is served on this machine only. Its address contains a key, which is new each time: without it, nothing is
answered. Nothing is loaded from elsewhere, and nothing is sent elsewhere. docs/ui.md has the keys and the HTTP interface.

Examples:
  $ baton ui
  $ baton ui 20261116-031522-k3f9q1
  $ baton ui --port 7500 --no-open
  $ baton ui --read-only
`;
