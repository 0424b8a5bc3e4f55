import type { EventBody, SessionEventRecord } from '../../../client/event/record';
import { pathOf } from '../../../client/view/reduce-event';

/** A change of a file or an artifact, as the events tell it. */
export interface Writing {
  readonly name: string;
  readonly path: string;
  readonly turn: number;
  /** Whether it was refused, because another writer came first. */
  readonly isLost: boolean;
}

/** What the events of a run tell about files and artifacts, in order. */
export class Writings {
  /** Who changed files. */
  readonly files: Writing[] = [];
  /** Who wrote artifacts. */
  readonly artifacts: Writing[] = [];
  /** Artifacts that agents were asked to write but did not. */
  readonly missing: Pick<Writing, 'name' | 'path'>[] = [];
  /** Paths of agents by the names under which they write to a session. */
  private readonly writers = new Map<string, string>();

  /** Takes an event of an agent into account. */
  add(agent: string, event: EventBody): void {
    if (event.kind === 'agent.started') {
      const path = pathOf(agent);
      this.writers.set(path.split('/').at(-1) || 'root', path);
    } else if (event.kind === 'delegation.completed') {
      for (const name of event.missingArtifacts) this.missing.push({ name, path: pathOf(event.child) });
    } else if (event.kind === 'session.event') {
      if (event.type === 'fileChanged') this.files.push(...this.writing(agent, event, 'path'));
      if (event.type === 'artifactWritten') this.artifacts.push(...this.writing(agent, event, 'name'));
    }
  }

  private writing(agent: string, { writer, turn, value, status }: SessionEventRecord, field: string): Writing[] {
    const name = (value as Readonly<Record<string, unknown>> | null)?.[field];
    if (typeof name !== 'string') return [];
    return [{ name, path: this.writers.get(writer) ?? pathOf(agent), turn, isLost: status === 'failed' }];
  }
}
