import type { Inside, Turn } from '../../domain/agent';
import { maxResultBytesFor, maxToolResultBytes } from '../../domain/handoff';
import type { Session } from '../../domain/session';
import { isDispatchTool } from '../../domain/tool';
import { treeMediaType } from '../../domain/workspace';
import { reserveRequest } from '../session/change-session';
import { isExamined } from '../tool/restricted-call';
import type { Agent } from './agent';

/** Maximum characters of the slices that are passed to a turn, as JSON. History has them once per turn. */
const maxSliceCharacters = 512;

/**
 * Returns what an agent's tools need to run inside its next turn; undefined if none may. An agent that is behind its
 * shared session has to catch up first, and does so when it knows that it needs it.
 */
export function insideInput(agent: Agent): Inside | undefined {
  const { settings, progress, shared } = agent;
  if (settings.tuning?.toolsInside === false || shared?.isBehind === true) return undefined;
  const { slices, tooLarge } = slicesRead(agent);
  const { names, once, reads } = progress.opened.tools;
  const candidates = names.filter((name) => !once.includes(name) && !isDispatchTool(name));
  const except = candidates.filter(
    (name) => isExamined(agent, name) || (reads[name] ?? []).some((slice) => tooLarge.has(slice)),
  );
  if (except.length === candidates.length) return undefined;
  return {
    ...workspaceOf(agent),
    ...(Object.keys(slices).length === 0 ? {} : { slices }),
    ...(progress.unseen.length === 0 ? {} : { unseen: progress.unseen }),
    ...resultLimit(agent),
    ...(except.length === 0 ? {} : { except }),
    ...(shared === null ? {} : { apply: reserveRequest(agent, shared) }),
  };
}

function workspaceOf({ progress: { workspace } }: Agent): Pick<Inside, 'workspace'> {
  if (workspace === null) return {};
  const { root, changes } = workspace;
  return {
    workspace: {
      root: { hash: root.hash, bytes: root.bytes },
      ...(changes.length === 0 ? {} : { changes }),
    },
  };
}

/** The slices with records that the agent's tools read, as far as they fit, and the names of the others. */
function slicesRead({ progress: { session, opened } }: Agent): {
  readonly slices: NonNullable<Inside['slices']>;
  readonly tooLarge: ReadonlySet<string>;
} {
  const names = new Set(Object.values(opened.tools.reads).flat());
  const slices: Record<string, Session['slices'][string]> = {};
  const tooLarge = new Set<string>();
  let room = maxSliceCharacters;
  for (const name of names) {
    const records = session.slices[name] ?? [];
    if (records.length === 0) continue;
    const characters = JSON.stringify(records).length;
    if (characters > room) tooLarge.add(name);
    else {
      room -= characters;
      slices[name] = records;
    }
  }
  return { slices, tooLarge };
}

/**
 * Limits results further in a small context window. The default is omitted, so that history does not repeat it per
 * call.
 */
export function resultLimit({ settings }: Agent): { maxResultBytes?: number } {
  const bytes = maxResultBytesFor(settings);
  return bytes < maxToolResultBytes ? { maxResultBytes: bytes } : {};
}

/** Takes over the tree into which a turn has folded all changes that it was sent. No other code has run since. */
export function takeFoldedRoot(agent: Agent, { hash, bytes }: NonNullable<Turn['root']>): void {
  const { workspace } = agent.progress;
  if (workspace === null) return;
  const root = { hash, bytes, mediaType: treeMediaType };
  agent.progress = { ...agent.progress, workspace: { base: workspace.base, root, changes: [] } };
}
