import { z } from 'zod';
import { mediaTypes } from '../../../domain/store';
import { builtInToolNames } from '../../../domain/tool';
import { parsePath } from '../../../domain/workspace';
import { decodeUtf8 } from '../../../store/blobs';
import { defineTool, type ToolContext, ToolError } from '../define-tool';
import { defaultLines, maxLines, selectCharacters, selectLines } from './lines';
import { encodeText } from './write-tools';

/** Schema of artifact names. Artifacts can be exported as files, so their names follow the rules for paths. */
const artifactNameSchema = z
  .string()
  .min(1)
  .max(200)
  .refine(isPlainPath, 'must be a plain file name such as report.md, or a relative path with /');

function isPlainPath(name: string): boolean {
  try {
    return parsePath(name) === name;
  } catch {
    return false;
  }
}

/** Derives the media type of an artifact from its name. */
function mediaTypeOf(name: string): string {
  if (/\.(md|markdown)$/i.test(name)) return mediaTypes.markdown;
  return /\.json$/i.test(name) ? mediaTypes.json : mediaTypes.text;
}

const maxNamesShown = 50;
const defaultCharacters = 10_000;
const maxCharacters = 100_000;

/** Reads an artifact. */
export const readArtifactTool = defineTool({
  name: builtInToolNames.readArtifact,
  id: 'baton/read_artifact@3',
  description:
    'Reads an artifact that an agent of this run wrote, a file that a subagent changed in its own copy, or a tool result that was too long to return. Returns up to 1,000 lines unless you set `limit`; use `offset` to continue. If the lines are too long, use `from_character` instead. What is not text is returned in base64.',
  parameters: z.strictObject({
    name: z.string().min(1).describe('Name of the artifact'),
    offset: z.int().min(1).optional().describe('First line to read, counted from 1'),
    limit: z.int().min(1).max(maxLines).optional().describe('Number of lines to read; default 1,000'),
    from_character: z
      .int()
      .min(0)
      .optional()
      .describe('First character to read, counted from 0; use instead of `offset`'),
    characters: z.int().min(1).max(maxCharacters).optional().describe('Number of characters to read; default 10,000'),
  }),
  success: 'The requested part of the artifact.',
  cost: 'Free; the text counts as input tokens.',
  safeToRepeat: true,
  reads: ['artifacts'],

  async run({ name, offset, limit, from_character, characters }, { artifacts, blobs, maxResultBytes }) {
    const byCharacters = from_character !== undefined || characters !== undefined;
    if (byCharacters && (offset ?? limit) !== undefined) {
      throw new ToolError('Use either `offset` and `limit`, or `from_character` and `characters`.');
    }
    const artifact = [...artifacts].reverse().find((other) => other.name === name);
    if (artifact === undefined) throw new ToolError(unknown(name, artifacts));
    const bytes = await blobs.get(artifact.ref, `artifact "${name}"`);
    const what = `Artifact "${name}"`;
    const count = characters ?? defaultCharacters;
    const text = decodeUtf8(bytes);
    if (text === undefined) {
      const part = selectCharacters(
        Buffer.from(bytes).toString('base64'),
        what,
        from_character ?? 0,
        count,
        maxResultBytes,
      );
      return { message: `[not text: ${bytes.length} bytes, here in base64]\n${part}` };
    }
    if (!byCharacters) return { message: selectLines(text, what, offset ?? 1, limit ?? defaultLines, maxResultBytes) };
    return { message: selectCharacters(text, what, from_character ?? 0, count, maxResultBytes) };
  },
});

function unknown(name: string, artifacts: ToolContext['artifacts']): string {
  if (artifacts.length === 0) return `Unknown artifact "${name}": no artifacts have been written yet.`;
  const names = artifacts.slice(-maxNamesShown).map((artifact) => artifact.name);
  return `Unknown artifact "${name}". Available: ${names.join(', ')}.`;
}

/** Writes an artifact. */
export const writeArtifactTool = defineTool({
  name: builtInToolNames.writeArtifact,
  id: 'baton/write_artifact@1',
  description:
    'Writes a named text, such as a report, findings or a plan, for agents and people who continue or read your work. It is stored with the run, not in the workspace. Writing to an existing name replaces it.',
  parameters: z.strictObject({
    name: artifactNameSchema.describe('A descriptive file name, such as findings.md'),
    content: z.string().min(1).describe('The complete text'),
  }),
  success: 'The artifact is stored under its name, and other agents can read it.',
  cost: 'Free.',
  safeToRepeat: true,

  async run({ name, content }, { blobs, agent }) {
    const { hash, bytes, mediaType } = await blobs.put(encodeText(content), mediaTypeOf(name));
    return {
      message: `Wrote artifact "${name}" (${bytes} bytes).`,
      events: [{ type: 'artifactWritten', value: { name, ref: { hash, bytes, mediaType }, by: agent } }],
    };
  },
});
