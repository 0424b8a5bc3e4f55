import { z } from 'zod';
import { artifactNameSchema, mediaTypeOf } from './artifact-tools';
import { defineTool } from '../define-tool';
import { encodeText } from './write-target';

/** Writes an artifact. */
export const writeArtifactTool = defineTool({
  name: 'write_artifact',
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
