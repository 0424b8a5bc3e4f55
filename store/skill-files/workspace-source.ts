import type { ContextSource } from '../../domain/skill';
import type { WorkspaceView } from '../../domain/workspace/view';

/** A workspace as slices see it: text files only; links are never followed. */
export function workspaceSource(workspace: WorkspaceView): ContextSource {
  return {
    async read(path) {
      const entry = await workspace.stat(path);
      if (entry?.kind !== 'file' || entry.binary === true) return undefined;
      // What an agent is told about a file must be the file: a byte order mark stays.
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await workspace.read(path));
    },
    async exists(path) {
      const entry = await workspace.stat(path);
      return entry !== undefined && entry.kind !== 'folder';
    },
    async list() {
      const entries = await workspace.list('', true);
      return entries.filter(({ kind }) => kind !== 'folder').map(({ path }) => path);
    },
  };
}
