import { z } from 'zod';
import { decodeUtf8 } from '../../store/utf8';
import { defaultLines, maxLines, pickLines } from './lines';
import { defineTool, ToolError, type ToolContext } from './tool';

const maxNamesShown = 50;

export const readArtifactTool = defineTool({
  name: 'read_artifact',
  id: 'baton/read_artifact@1',
  description:
    'Reads a text that an agent of this run left with write_artifact. Gives at most 1,000 lines unless you ask for another number; use `offset` to read on.',
  parameters: z.strictObject({
    name: z.string().min(1).describe('Name of the artifact'),
    offset: z.int().min(1).optional().describe('First line to read, counted from 1'),
    limit: z.int().min(1).max(maxLines).optional().describe('How many lines to read'),
  }),
  success: 'The lines asked for, as they stand in the artifact.',
  cost: 'Free; the text counts as input tokens.',
  safeToRepeat: true,
  reads: ['artifacts'],

  async run({ name, offset = 1, limit = defaultLines }, { artifacts, blobs }) {
    const artifact = [...artifacts].reverse().find((other) => other.name === name);
    if (artifact === undefined) throw new ToolError(unknown(name, artifacts));
    const text = decodeUtf8(await blobs.get(artifact.ref, `artifact "${name}"`));
    if (text === undefined) throw new ToolError(`Artifact "${name}" is not text (${artifact.ref.mediaType}).`);
    return { message: pickLines(text, `Artifact "${name}"`, offset, limit) };
  },
});

function unknown(name: string, artifacts: ToolContext['artifacts']): string {
  if (artifacts.length === 0) return `There is no artifact "${name}": none was written so far.`;
  const names = artifacts.slice(-maxNamesShown).map((artifact) => artifact.name);
  return `There is no artifact "${name}". There are: ${names.join(', ')}.`;
}
