import { z } from 'zod';

/** A tool of a server, as `baton mcp` shows it. */
const probedToolSchema = z.object({
  /** Name on the server, for grants. */
  tool: z.string(),
  /** Name by which models call it. */
  name: z.string(),
  id: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.json()),
  safeToRepeat: z.boolean(),
  /** Estimated tokens of its description in every request. */
  tokens: z.int().nonnegative(),
});
export type ProbedTool = Readonly<z.infer<typeof probedToolSchema>>;

/** What connecting to a server showed. */
const probedServerSchema = z.object({
  server: z.string(),
  type: z.enum(['stdio', 'http']),
  /** Milliseconds until the tools were listed, or until it failed. */
  milliseconds: z.int().nonnegative(),
  /** Name, version and protocol that the server reported. */
  info: z.object({ name: z.string(), version: z.string(), protocol: z.string() }).partial(),
  tools: z.array(probedToolSchema),
  /** Tools that can't be used, and remarks about others. */
  problems: z.array(z.object({ tool: z.string(), message: z.string(), isSkipped: z.boolean() })),
  /** Why the server can't be used; null if it can. */
  failure: z.object({ type: z.string(), message: z.string() }).nullable(),
});
export type ProbedServer = Readonly<z.infer<typeof probedServerSchema>>;

/** Message of the process that connects to servers for the command line. */
export const probeReportSchema = z.array(probedServerSchema);
