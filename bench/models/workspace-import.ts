import { say, type Script, scriptByTurn, useTools } from '../../testing/scripted-model';

/** More files than a tool call carries, so that they are folded into the tree. */
const written = Array.from({ length: 12 }, (_, index) => ({
  name: 'write_file',
  input: { path: `folder-${index}/added.txt`, content: `added ${index}\n` },
}));

/** Looks at all files, writes some, and reads one of them. */
export const workspaceImport: Script = scriptByTurn(
  useTools([
    { name: 'list_files', input: { recursive: true } },
    { name: 'grep', input: { pattern: 'needle' } },
  ]),
  useTools(written),
  useTools([{ name: 'read_file', input: { path: 'folder-3/added.txt' } }]),
  say('Done.'),
);
