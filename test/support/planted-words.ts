import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { fail, say, type Script, useTool, useTools } from '../../testing/scripted-model';
import { batch, reasonOf } from './batches';
import { byDepth } from './delegation-script';

const places = [
  ...['goal', 'answer', 'filename', 'filetext', 'newfile', 'newtext', 'artifact', 'report', 'note', 'missing'],
  ...['question', 'reply', 'steering', 'errand', 'refused', 'childsaid', 'failure'],
] as const;

/** A different word for every place where contents of a run can be. */
export const words = Object.fromEntries(places.map((place) => [place, newWord(place)])) as Readonly<
  Record<(typeof places)[number], string>
>;

export function newWord(about: string): string {
  return `${about}${randomBytes(5).toString('hex')}`;
}

/** Plays a run that uses every word: files, artifacts, notes, a question to the operator, delegations and a failure. */
export const plantingScript: Script = byDepth(
  ({ turn }) => {
    if (turn === 0)
      return useTools([
        { name: 'read_file', input: { path: `${words.filename}.txt` } },
        { name: 'write_file', input: { path: `${words.newfile}.txt`, content: words.newtext } },
        { name: 'edit_file', input: { path: `${words.missing}.txt`, old_text: 'a', new_text: 'b' } },
        { name: 'write_artifact', input: { name: `${words.artifact}.md`, content: words.report } },
        { name: 'add_note', input: { text: words.note } },
      ]);
    if (turn === 1) return useTool('ask_operator', { question: `Which ${words.question}?` });
    if (turn === 2) return useTool('dispatch_subagents', batch([words.errand, words.refused]));
    return say(`It is ${words.answer}.`);
  },
  (call) =>
    reasonOf(call).includes(words.refused) ? fail(400, { message: `no ${words.failure}` }) : say(words.childsaid),
);

/** Writes the workspace of the run into a folder. */
export async function writeWorkspace(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${words.filename}.txt`), words.filetext);
  return folder;
}

/** Words that were found, with the places where they are. */
export type Found = Map<string, string[]>;

/** Looks for words in the names and the contents of all files of some folders. */
export async function findInFiles(wanted: readonly string[], folders: readonly string[]): Promise<Found> {
  const found: Found = new Map();
  for (const path of (await Promise.all(folders.map(filesIn))).flat()) {
    const bytes = await readFile(path);
    for (const word of wanted) if (bytes.includes(word) || path.includes(word)) add(found, word, path);
  }
  return found;
}

/** Looks for words in every column of every table of a database. Its files may be compressed. */
export async function findInDatabase(wanted: readonly string[], url: string): Promise<Found> {
  const found: Found = new Map();
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ place: string; column: string; type: string }>(`
      SELECT format('%I.%I', table_schema, table_name) AS place, quote_ident(column_name) AS column, data_type AS type
      FROM information_schema.columns WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`);
    for (const { place, column, type } of rows) {
      const contains =
        type === 'bytea'
          ? `position(convert_to(word, 'UTF8') IN ${column}) > 0`
          : `${column}::text LIKE '%' || word || '%'`;
      const query = `SELECT DISTINCT word FROM ${place}, unnest($1::text[]) AS word WHERE ${contains}`;
      const matches = await client.query<{ word: string }>(query, [wanted]);
      for (const { word } of matches.rows) add(found, word, `${place}.${column}`);
    }
  } finally {
    await client.end();
  }
  return found;
}

function add(found: Found, word: string, place: string): void {
  found.set(word, [...(found.get(word) ?? []), place]);
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
