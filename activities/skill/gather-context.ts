import { artifactsSlice, recordsOf, type SessionSnapshot } from '../../domain/session';
import {
  assembleContext,
  type AssembledContext,
  type ContextSource,
  overlaySource,
  type SkillDefinition,
  sourceFromFiles,
} from '../../domain/skill';
import type { RunStore } from '../../domain/store';
import type { WorkspaceFiles, WorkspaceView } from '../../domain/workspace';
import { decodeUtf8 } from '../../store/blobs';
import type { TreeCache } from '../../store/workspace/trees';
import { openWorkspace } from '../workspace/stored-workspace';

/** Sources of a skill's context: files, and the artifacts of the agent that dispatches it. */
export interface SkillContextSources {
  readonly workspace: WorkspaceFiles | null;
  readonly snapshot: Pick<SessionSnapshot, 'slices'>;
}

/** An artifact hides a file of the same name: a plan that was made in this run is newer than one that was mounted. */
export function assembleSkillContext(
  store: RunStore,
  treeCache: TreeCache,
  skill: SkillDefinition,
  { workspace, snapshot }: SkillContextSources,
): Promise<AssembledContext> {
  const files = workspace === null ? sourceFromFiles({}) : workspaceSource(openWorkspace(store, workspace, treeCache));
  return assembleContext(skill, overlaySource(artifactSource(store, snapshot), files));
}

function artifactSource(store: RunStore, { slices }: SkillContextSources['snapshot']): ContextSource {
  const written = recordsOf({ slices }, artifactsSlice).filter(({ kind }) => kind !== 'file');
  const refs = new Map(written.map(({ name, ref }) => [name, ref]));
  return {
    async read(path) {
      const ref = refs.get(path);
      return ref === undefined ? undefined : decodeUtf8(await store.get(ref, `artifact "${path}"`));
    },
    exists: (path) => Promise.resolve(refs.has(path)),
    list: () => Promise.resolve([...refs.keys()].sort()),
  };
}

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
