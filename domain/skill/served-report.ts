import { z } from 'zod';

/** What to read from an MCP server. */
export const importRequestSchema = z.object({
  server: z.string(),
  kinds: z.array(z.enum(['prompt', 'skill'])).readonly(),
  /** Names on the server. Empty: everything. */
  names: z.array(z.string()).readonly(),
  /** Values for arguments of prompts. The others become the input of the skill. */
  fixed: z.record(z.string(), z.string()),
});
export type ImportRequest = Readonly<z.infer<typeof importRequestSchema>>;

/** A prompt or skill of a server: the fields of its skill file, or why there can't be one. */
const servedDefinitionSchema = z.object({
  kind: z.enum(['prompt', 'skill']),
  /** Name on the server, without characters that can't be seen. */
  name: z.string(),
  made: z.union([
    z.object({
      value: z.record(z.string(), z.json()),
      /** What a reviewer should know, each as a sentence without a final period. */
      remarks: z.array(z.string()).readonly(),
    }),
    z.object({ problem: z.string() }),
  ]),
});
export type ServedDefinition = Readonly<z.infer<typeof servedDefinitionSchema>>;

/** Message of the process that reads prompts and skills for the command line. */
export const importReportSchema = z.union([
  z.object({ definitions: z.array(servedDefinitionSchema) }),
  z.object({ failure: z.object({ type: z.string(), message: z.string() }) }),
]);
export type ImportReport = Readonly<z.infer<typeof importReportSchema>>;
