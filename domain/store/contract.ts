import { z } from 'zod';
import { activityContract, type InputOf, type ResultOf, updateContract, workflowContract } from '../kernel';
import { blobRefSchema } from './store';

// How a program without access to the store's folder reads what a run has stored: through a workflow that passes on
// texts page by page. A Query could not, because workflow code cannot read the store.

const textsPrefix = 'texts/';

/** Returns the workflow id of the workflow that reads the stored contents of a run. */
export function textsWorkflowId(runId: string): string {
  return `${textsPrefix}${runId}`;
}

/** Returns the id of the run whose contents a workflow reads; undefined when the workflow id is of another kind. */
export function textsRunId(workflowId: string): string | undefined {
  return workflowId.startsWith(textsPrefix) ? workflowId.slice(textsPrefix.length) : undefined;
}

/** What a request is refused with while there are too many others. It can be repeated a moment later. */
export const textsBusy = 'too many requests at once: ask again in a second';

export const textsWorkflowContract = workflowContract('textsWorkflow', {
  description: 'reads stored contents of a run for clients that have no access to the store; ends when nobody asks',
  workflowId: 'texts/<id>',
  /** The run is named by the workflow id. */
  input: z
    .strictObject({
      /** Time without a request after which the workflow ends, in milliseconds. Default: 60,000. */
      idleMs: z.int().positive().exactOptional(),
    })
    .optional(),
  result: z.object({
    /** Number of pages that the last execution has read. */
    pages: z.int().nonnegative(),
  }),
});
export type TextsStart = InputOf<typeof textsWorkflowContract>;
export type TextsResult = Readonly<ResultOf<typeof textsWorkflowContract>>;

/** Maximum size of a page, in bytes of JSON. It is in history twice, and servers accept payloads of up to 2 MiB. */
export const maxTextPageBytes = 256 * 1024;

/** A blob. Its media type does not matter for reading it. */
const readableRefSchema = blobRefSchema.extend({ mediaType: blobRefSchema.shape.mediaType.exactOptional() });

const textRequestSchema = z.strictObject({
  /** What to read: `answer`, the answer of a run that has completed, or a ref from a result, a Query or an Update. */
  of: z.union([z.literal('answer'), readableRefSchema], { error: 'must be "answer" or a ref with hash and bytes' }),
  /** First byte of the page: 0, or `next` of the page before. Default: 0. */
  offset: z.int().nonnegative().exactOptional(),
  /** `utf8` for texts, whose pages end between characters; `base64` for anything. Default: `utf8`. */
  encoding: z.enum(['utf8', 'base64']).exactOptional(),
});
export type TextRequest = Readonly<z.infer<typeof textRequestSchema>>;

const textPageSchema = z.object({
  /** The text of the page, or its bytes in base64. */
  text: z.string(),
  /** First byte of the next page; null when this is the last one. */
  next: z.int().positive().nullable(),
  /** Bytes of the whole content. */
  bytes: z.int().nonnegative(),
});
export type TextPage = Readonly<z.infer<typeof textPageSchema>>;

export const readTextContract = updateContract('readText', {
  description:
    "Returns a page of the run's answer, or of any content that the run has stored, such as an artifact, a prompt or a file.",
  input: textRequestSchema,
  result: textPageSchema,
});

export const readContentActivity = activityContract('readContent', {
  description: 'Reads a page of a content that a run has stored, for clients that have no access to the store.',
  input: z.object({ runId: z.string(), request: textRequestSchema }),
  result: textPageSchema,
});
export type ReadContentInput = InputOf<typeof readContentActivity>;
