import { z } from 'zod';
import { blobRefSchema } from '../../store/blob-ref';
import { upsertBy } from '../reducers';
import { defineSlice } from '../slice';

const shownArtifacts = 10;

/** A named text that an agent wrote for other agents or people. Its content is in the store. */
export const artifactSchema = z.strictObject({
  name: z.string().min(1).max(200),
  ref: blobRefSchema,
  /** The agent that wrote it. */
  by: z.string().min(1).max(200),
});
export type Artifact = Readonly<z.infer<typeof artifactSchema>>;

/** The artifacts of the run, by name. */
export const artifactsSlice = defineSlice({
  name: 'artifacts',
  record: artifactSchema,
  conflict: 'lastWrite',
  on: { artifactWritten: upsertBy('name') },
  summarize: (artifacts) => [
    `Artifacts: ${artifacts.length}${artifacts.length > shownArtifacts ? `, the last ${shownArtifacts} of them:` : ''}`,
    ...artifacts
      .slice(-shownArtifacts)
      .map(({ name, ref, by }) => `- ${name} (${ref.mediaType}, ${ref.bytes} B, by ${by})`),
  ],
});
