import { LibrarySource } from '../../../cli/ui/source/library-source';
import type { Harness } from '../harness';

/** The source of `baton ui` on the server and the store of a harness. */
export function harnessSource({ client, store }: Pick<Harness, 'client' | 'store'>): LibrarySource {
  const about = { address: '127.0.0.1:7233', namespace: client.options.namespace, user: 'ada', webUi: null };
  return new LibrarySource({ client, store, about });
}
