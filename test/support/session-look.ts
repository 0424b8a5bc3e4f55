import { z } from 'zod';
import { defineTool } from '../../activities/tool/define-tool';
import { type ScriptedCall, type ScriptedReply, useTool } from '../../testing/scripted-model';

/** What an agent sees of its session and its files. */
export interface Look {
  readonly notes: readonly string[];
  readonly plan: readonly string[];
  readonly artifacts: readonly string[];
  readonly risks: readonly string[];
  readonly files: readonly string[];
}

const labelled = z.looseObject({
  text: z.string().optional(),
  title: z.string().optional(),
  name: z.string().optional(),
  id: z.string().optional(),
});
const lookSchema = z.object({
  notes: z.array(z.string()),
  plan: z.array(z.string()),
  artifacts: z.array(z.string()),
  risks: z.array(z.string()),
  files: z.array(z.string()),
});

/** A tool that returns everything that the calling agent sees, in one call. */
export const lookTool = defineTool({
  name: 'look',
  id: 'test/look@1',
  description: 'Returns the names of everything in the session, and of all files.',
  parameters: z.object({}),
  success: 'The names.',
  cost: 'None.',
  safeToRepeat: true,
  reads: ['notes', 'plan', 'artifacts', 'risks'],
  async run(_, { slices, workspace }) {
    const labels = (name: string, field: 'text' | 'title' | 'name' | 'id'): string[] =>
      (slices[name] ?? []).map((record) => labelled.parse(record)[field] ?? '');
    const entries = (await workspace?.list('', true)) ?? [];
    const files = entries.flatMap(({ kind, path }) => (kind === 'file' ? [path] : []));
    const seen: Look = {
      notes: labels('notes', 'text'),
      plan: labels('plan', 'title'),
      artifacts: labels('artifacts', 'name'),
      risks: labels('risks', 'id'),
      files,
    };
    return { message: JSON.stringify(seen) };
  },
});

export const look = (): ScriptedReply => useTool('look', {});

/** Reads the result of `look` in the call after it. */
export function seenBy({ toolResults }: ScriptedCall): Look {
  return lookSchema.parse(JSON.parse(toolResults[0]?.text ?? ''));
}

/** A tool that leaves one record of each kind, and a file, all with this name. */
export const leaveTool = defineTool({
  name: 'leave',
  id: 'test/leave@1',
  description: 'Leaves a note, a plan step, an artifact and a file.',
  parameters: z.object({ name: z.string() }),
  success: 'They are there.',
  cost: 'None.',
  safeToRepeat: true,
  async run({ name }, { blobs, agent }) {
    const { hash, bytes, mediaType } = await blobs.put(Buffer.from(`Left by ${name}`), 'text/plain');
    return {
      message: 'Left.',
      events: [
        { type: 'noteAdded', value: { text: name, by: agent } },
        { type: 'planStepsAdded', value: { steps: [{ title: name }] } },
        { type: 'artifactWritten', value: { name, ref: { hash, bytes, mediaType }, by: agent } },
      ],
      changes: [{ path: `left/${name}`, expectedHash: null, newHash: hash, bytes }],
    };
  },
});

export const leave = (name: string): ScriptedReply => useTool('leave', { name });

/** Names of what others left, if a look shows everything of them or nothing. */
export function leftIn({ notes, plan, artifacts, files }: Look): ReadonlySet<string> {
  const names = new Set(notes);
  const left = files.flatMap((path) => (path.startsWith('left/') ? [path.slice('left/'.length)] : []));
  for (const others of [plan, artifacts, left]) expect(new Set(others)).toEqual(names);
  return names;
}
