import { z } from 'zod';
import { artifactNameSchema, mediaTypeOf } from './artifact-name';
import { defineTool } from './tool';
import { encode } from './write-target';

/** Writes an artifact. */
export const writeArtifactTool = defineTool({
  name: 'write_artifact',
  id: 'baton/write_artifact@1',
  description:
    'Leaves a named text for whoever continues or reads your work: a report, findings, a plan. It is kept with the run, not among the files of the workspace. Writing the same name again replaces it.',
  parameters: z.strictObject({
    name: artifactNameSchema.describe('A file name that says what it is, such as findings.md'),
    content: z.string().min(1).describe('The whole text'),
  }),
  success: 'The artifact is kept under its name, and others can read it.',
  cost: 'Free.',
  safeToRepeat: true,

  async run({ name, content }, { blobs, agent }) {
    const { hash, bytes, mediaType } = await blobs.put(encode(content), mediaTypeOf(name));
    return {
      message: `Wrote artifact "${name}" (${bytes} bytes).`,
      events: [{ type: 'artifactWritten', value: { name, ref: { hash, bytes, mediaType }, by: agent } }],
    };
  },
});
