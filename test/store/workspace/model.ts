import fc from 'fast-check';
import type { FileChange } from '../../../domain/workspace';
import type { MemoryRunStore } from '../support/memory-run-store';
import { changeOf } from './support';

/** A simple model of a workspace, which the trees and overlays must agree with. */
export type Model = ReadonlyMap<string, string>;

const name = fc.constantFrom('a', 'b', 'c', 'ä', 'B.txt', '__proto__');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const content = fc.constantFrom('', 'one', 'two\n', 'ü\n\nx');

export const anyFiles = fc
  .array(fc.tuple(path, content), { maxLength: 10 })
  .map((files) =>
    files.reduce<Model>((model, [at, text]) => (fits(model, at) ? withFile(model, at, text) : model), new Map()),
  );

/** A write, or a deletion if null. */
export const anyEdits = fc.array(fc.tuple(path, fc.option(content, { nil: null })), { maxLength: 12 });

/** Applies the edits one after the other, as tools would, and returns the changes that tools would return. */
export async function edit(
  store: MemoryRunStore,
  model: Model,
  edits: readonly (readonly [string, string | null])[],
): Promise<{ after: Model; changes: FileChange[] }> {
  let after = model;
  const changes: FileChange[] = [];
  for (const [at, text] of edits) {
    if (text !== null && !fits(after, at)) continue;
    if (text === null && !after.has(at)) continue;
    changes.push(await changeOf(store, at, text, after.get(at) ?? null));
    after = withFile(after, at, text);
  }
  return { after, changes };
}

function withFile(model: Model, at: string, text: string | null): Model {
  const next = new Map(model);
  if (text === null) next.delete(at);
  else next.set(at, text);
  return next;
}

/** Whether a file can exist at this path: no parent is a file, and it is not a folder. */
function fits(model: Model, at: string): boolean {
  return [...model.keys()].every(
    (other) => other === at || (!other.startsWith(`${at}/`) && !at.startsWith(`${other}/`)),
  );
}

export function sorted(model: Model): [string, string][] {
  return [...model].sort(([a], [b]) => (a < b ? -1 : 1));
}
