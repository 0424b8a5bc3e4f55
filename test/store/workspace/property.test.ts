import fc from 'fast-check';
import { importFolder } from '../../../activities/workspace/import-folder';
import { openWorkspace } from '../../../activities/workspace/stored-workspace';
import { mergeChanges } from '../../../domain/workspace';
import { diffTrees } from '../../../store/workspace/diff';
import { foldChanges } from '../../../store/workspace/fold';
import { MemoryRunStore } from '../support/memory-run-store';
import { anyEdits, anyFiles, edit, type Model, sorted } from './model';
import { addFiles, newFolder } from './support';

type View = ReturnType<typeof openWorkspace>;

async function filesOf(view: View): Promise<[string, string][]> {
  const files: [string, string][] = [];
  for (const { kind, path } of await view.list('', true)) {
    if (kind === 'file') files.push([path, Buffer.from(await view.read(path)).toString('utf8')]);
  }
  return files.sort(([a], [b]) => (a < b ? -1 : 1));
}

function foldersOf(model: Model): string[] {
  const folders = [...model.keys()].flatMap((path) =>
    path
      .split('/')
      .slice(1)
      .map((_, n) => path.split('/', n + 1).join('/')),
  );
  return [...new Set(folders)].sort();
}

test('a workspace behaves like a map of paths: mounted, changed, folded at any point, and compared', async () => {
  await fc.assert(
    fc.asyncProperty(anyFiles, anyEdits, fc.nat(12), async (files, edits, foldAt) => {
      const store = new MemoryRunStore();
      const folder = await newFolder();
      await addFiles(folder, Object.fromEntries(files));
      const { root } = await importFolder(store, folder);
      const { after, changes } = await edit(store, files, edits);
      expect(mergeChanges(new Map(), changes).conflicts).toEqual([]);

      const folded = await foldChanges(store, root, changes.slice(0, foldAt));
      const view = openWorkspace(store, { root: folded, changes: changes.slice(foldAt) });
      expect(await filesOf(view)).toEqual(sorted(after));
      const folders = (await view.list('', true)).filter(({ kind }) => kind === 'folder').map(({ path }) => path);
      expect(folders.sort()).toEqual(foldersOf(after));

      const final = await foldChanges(store, folded, changes.slice(foldAt));
      expect(final).toEqual(await foldChanges(store, root, changes));
      const differing = [...new Set([...files.keys(), ...after.keys()])].filter(
        (path) => files.get(path) !== after.get(path),
      );
      expect((await diffTrees(store, root, final)).map(({ path }) => path)).toEqual(differing.sort());
    }),
    { numRuns: 150 },
  );
});
