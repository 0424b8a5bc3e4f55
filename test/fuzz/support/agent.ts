import type { Tool } from '../../../activities/tool/define-tool';
import { type CallEnvironment, runToolCall, toToolResult } from '../../../activities/tool/tool-call';
import { importFolder } from '../../../activities/workspace/import-folder';
import { openWorkspace } from '../../../activities/workspace/stored-workspace';
import { maxToolResultBytes } from '../../../domain/handoff';
import type { Json } from '../../../domain/kernel';
import { applyEvents, builtInSlices, createSessionSchema, emptySession, type Session } from '../../../domain/session';
import { maxPayloadBytes } from '../../../domain/store';
import { measurePayload, readSpilled } from '../../../store/blobs';
import { foldChanges } from '../../../store/workspace/fold';
import { MemoryRunStore } from '../../store/support/memory-run-store';
import { folderWith } from '../../store/workspace/support';
import type { Outcome } from './target';

const schema = createSessionSchema(builtInSlices);

/** An agent with these files, whose session changes with every call that succeeds, as in a turn. */
export class FuzzedAgent {
  private readonly store = new MemoryRunStore();
  private session: Session = emptySession(schema);
  private root: Parameters<typeof foldChanges>[1] | undefined;

  constructor(private readonly files: Readonly<Record<string, string | Uint8Array>>) {}

  async open(): Promise<void> {
    this.root = (await importFolder(this.store, await folderWith(this.files), {})).root;
  }

  /** Runs a call. Throws if it fails unexpectedly: outside of an activity, nothing can be logged. */
  async call(tool: Tool, input: Json): Promise<Outcome> {
    const environment = this.environment();
    const runnable = { id: 'c1', key: 'key-1', input: JSON.stringify(input) };
    const returned = await runToolCall(tool, runnable, environment, new AbortController().signal);
    const result = await toToolResult(environment, tool, runnable, returned);
    expect(measurePayload(result)).toBeLessThanOrEqual(maxPayloadBytes);
    const shown = await readSpilled(this.store, result.outcome.content, 'the test');
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(maxToolResultBytes + 1_000);
    const { session } = applyEvents(schema, this.session, result.events);
    if (this.root !== undefined && result.changes.length > 0) {
      // Every change can be applied to the files, and every other tool can still read them.
      const next = await foldChanges(this.store, this.root, result.changes);
      await openWorkspace(this.store, { root: next, changes: [] }).list('', true);
    }
    if (session.version < 200) this.session = session;
    return result.outcome.isError ? 'refused' : 'accepted';
  }

  private environment(): CallEnvironment {
    const { store, session, root } = this;
    const workspace = root === undefined ? undefined : openWorkspace(store, { root, changes: [] });
    return { store, workspace, slices: session.slices, agent: 'run/r1', maxResultBytes: undefined, unseen: [] };
  }
}
