import { artifactsSlice, recordsOf, type SessionSnapshot } from '../../domain/session';
import {
  assembleContext,
  overlaySource,
  sourceFromFiles,
  type AssembledContext,
  type ContextSource,
  type SkillDefinition,
} from '../../domain/skill';
import type { WorkspaceState } from '../../domain/agent/progress';
import type { RunStore } from '../../domain/store/store';
import { workspaceSource } from './workspace-source';
import { decodeUtf8 } from '../../store/utf8';
import { openWorkspace } from '../workspace/stored-workspace';
import type { TreeCache } from '../../store/workspace/trees';

/** Sources of a skill's context: files, and the artifacts of the agent that dispatches it. */
export interface SkillContextSources {
  readonly workspace: Omit<WorkspaceState, 'base'> | null;
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
  const refs = new Map(recordsOf({ slices }, artifactsSlice).map(({ name, ref }) => [name, ref]));
  return {
    async read(path) {
      const ref = refs.get(path);
      return ref === undefined ? undefined : decodeUtf8(await store.get(ref, `artifact "${path}"`));
    },
    exists: (path) => Promise.resolve(refs.has(path)),
    list: () => Promise.resolve([...refs.keys()].sort()),
  };
}
