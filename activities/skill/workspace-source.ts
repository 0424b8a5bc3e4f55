import type { ContextSource } from '../../domain/skill';
import type { WorkspaceView } from '../../domain/workspace/view';

/** Makes a workspace available to context slices: text files only, and links are never followed. */
export function workspaceSource(workspace: WorkspaceView): ContextSource {
  return {
    async read(path) {
      const entry = await workspace.stat(path);
      if (entry?.kind !== 'file' || entry.binary === true) return undefined;
      // The agent must see the exact file, so a byte order mark is kept.
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
