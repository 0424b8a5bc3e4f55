import type { RunSnapshot } from '../../page/protocol';
import type { CliContext } from '../context';
import { pageFile } from '../ui/http/page-file';
import { startUiServer } from '../ui/http/ui-server';
import { LibrarySource } from '../ui/source/library-source';
import { claim, type Claim, type Stage } from './stage';

/** Claims that the page's server gives a run with its agents to whoever has the key, and to nobody else. */
export async function pageClaim(context: CliContext, { client }: Stage, runId: string): Promise<Claim> {
  const store = await context.openStore();
  const about = { address: '', namespace: client.options.namespace, user: '', webUi: null };
  const source = new LibrarySource({ client, store, about });
  const server = await startUiServer(source, { page: pageFile(''), version: '', port: 0, isReadOnly: true });
  try {
    const address = `${server.origin}/api/runs/${runId}`;
    const refused = await fetch(address);
    const answered = await fetch(address, { headers: { authorization: `Bearer ${server.key}` } });
    const { agents } = (await answered.json()) as RunSnapshot;
    const isTree = agents.some(({ parent, state }) => parent === '' && state === 'completed');
    return claim(
      'baton ui shows the run with its subagent, and nothing without the key',
      refused.status === 401 && isTree,
    );
  } finally {
    await server.close();
  }
}
