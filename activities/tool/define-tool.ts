import { z } from 'zod';
import { checkValue, formatIssue } from '../../domain/kernel';
import type { BlobRef, RunStore } from '../../domain/store';
import type { SessionEvent, ToolDescription } from '../../domain/tool';
import type { FileChange, WorkspaceView } from '../../domain/workspace';

/** Everything a tool may use while it runs. The engine creates it for each call. */
export interface ToolContext {
  /** The agent's files; undefined when the run has no workspace. It is read-only: a tool returns its changes. */
  readonly workspace: WorkspaceView | undefined;
  /** The run's blobs. What a tool stores here has no effect until the tool returns a ref to it. */
  readonly blobs: Pick<RunStore, 'put' | 'get'>;
  /** Artifacts written so far, oldest first. Available only if the tool `reads` the slice `artifacts`. */
  readonly artifacts: readonly { readonly name: string; readonly ref: BlobRef }[];
  /** Records of the slices that the tool declares in `reads`, by name of the slice. */
  readonly slices: Readonly<Record<string, readonly unknown[]>>;
  /** Workflow id of the calling agent, as written to session records. */
  readonly agent: string;
  /**
   * Idempotency key of this call, a UUID. The same at every attempt, on every worker, and after a reset that repeats the
   * call; different for every other call, also if the model makes the same one again. Send it to APIs that accept one.
   */
  readonly key: string;
  /** Maximum bytes of the result. The engine cuts a longer one, so a tool that returns parts should stop before. */
  readonly maxResultBytes?: number;
  /** Paths that other agents changed since this agent last read them. Default: none. */
  readonly unseen?: readonly string[];
  /** Aborted when the run is cancelled or the worker stops. */
  readonly signal: AbortSignal;
}

/** The result of a tool call: a text for the model, and the changes that the call requests. */
export interface ToolReturn {
  /** The text that the model sees. A long one is stored as an artifact and cut. */
  readonly message: string;
  /** Whether the model sees the result as an error. Default: false. */
  readonly isError?: boolean;
  /** Changes to files. Each is refused if another agent changed the file in the meantime. Default: none. */
  readonly changes?: readonly FileChange[];
  /** Events for the session's slices, applied after the turn in the order of the tool calls. Default: none. */
  readonly events?: readonly SessionEvent[];
  /** Path of the file whose content this result shows to the model. */
  readonly read?: string;
}

/** Definition of a tool, for `defineTool`. All fields are required except `reads` and `inline`. */
export interface ToolSpec<Parameters extends z.ZodType> {
  /** Name by which the model calls the tool. Must be unique in a worker. */
  readonly name: string;
  /** Identity with a version, such as `example/report_risk@1`. Raise the version when the tool's meaning changes. */
  readonly id: string;
  /** Describes the tool to the model: what it does and when to use it. */
  readonly description: string;
  /** Schema of the input. The model gets it as JSON Schema, and `run` is called only with input that matches it. */
  readonly parameters: Parameters;
  /** Describes the effect of a successful call, for prompts. */
  readonly success: string;
  /** Describes the cost of a call, for prompts. */
  readonly cost: string;
  /**
   * Whether the tool may run again after a worker died in the middle of it. If false, it is not retried, and the model
   * learns that it may or may not have taken effect. Use false for everything that sends, buys or deletes.
   */
  readonly safeToRepeat: boolean;
  /** Names of session slices that the tool reads, which `run` finds in `context.slices`. Default: none. */
  readonly reads?: readonly string[];
  /**
   * Whether a call may run in the same activity as the model call that requested it: `quick` if it takes milliseconds, so
   * that other calls may wait for it; `never` if it takes long. Default: together with calls that may. A tool that is not
   * safe to repeat never does.
   */
  readonly inline?: 'quick' | 'never' | undefined;
  /**
   * Runs the tool in an activity. If it throws, the tool call fails and the model sees the error's message. It must not
   * change the session or the workspace itself, but return `events` and `changes`. An attempt may take five minutes.
   */
  run(parameters: z.infer<Parameters>, context: ToolContext): Promise<ToolReturn>;
}

/** A tool that checks its input itself. Created by `defineTool`. */
export interface Tool {
  /** Description for the model and for prompts. */
  readonly description: ToolDescription;
  /** Runs the tool. `input` is what the model sent, unchecked. */
  run(input: unknown, context: ToolContext): Promise<ToolReturn>;
}

/**
 * Thrown by a tool to fail with exactly this message for the model. The message should name the problem and what to do
 * instead. Any other error also fails the call, but is logged as unexpected and shown to the model with the tool's
 * name.
 *
 * @example
 * ```ts
 * import { ToolError } from 'baton-agents/worker';
 *
 * throw new ToolError('"risk-one" is not a valid risk id. Use R1, R2 and so on.');
 * ```
 */
export class ToolError extends Error {}

/**
 * Defines a tool. Pass it to the worker in the option `tools`. All workers of a task queue must have the same tools.
 *
 * @example
 * ```ts
 * import { defineTool, ToolError } from 'baton-agents/worker';
 * import { z } from 'zod';
 *
 * export const reportRiskTool = defineTool({
 *   name: 'report_risk',
 *   id: 'example/report_risk@1',
 *   description: 'Records a project risk. Report each risk once, under a short id.',
 *   parameters: z.strictObject({ id: z.string(), text: z.string().max(500) }),
 *   success: 'The risk is recorded in the session.',
 *   cost: 'Free.',
 *   safeToRepeat: true,
 *   reads: ['risks'],
 *
 *   run(risk, { slices }) {
 *     if (!/^R\d+$/.test(risk.id)) throw new ToolError(`"${risk.id}" is not a valid risk id. Use R1, R2 and so on.`);
 *     const known = slices['risks']?.length ?? 0;
 *     const message = `Recorded ${risk.id}. ${known} risks were known before.`;
 *     return Promise.resolve({ message, events: [{ type: 'riskFound', value: risk }] });
 *   },
 * });
 * ```
 */
export function defineTool<Parameters extends z.ZodType>(spec: ToolSpec<Parameters>): Tool {
  const { name, id, description, parameters, success, cost, safeToRepeat, reads, inline } = spec;
  const inputSchema = z.toJSONSchema(parameters, { io: 'input' }) as ToolDescription['inputSchema'];
  delete inputSchema['$schema'];
  return {
    description: {
      name,
      id,
      description,
      inputSchema,
      success,
      cost,
      safeToRepeat,
      ...(reads === undefined ? {} : { reads: [...reads] }),
      ...(inline === undefined ? {} : { inline }),
    },
    async run(input, context) {
      const parsed = checkValue(parameters, input);
      return parsed.success ? spec.run(parsed.data, context) : { isError: true, message: describeIssues(parsed.error) };
    },
  };
}

function describeIssues(error: z.ZodError): string {
  const issues = error.issues.map((issue) => `- ${formatIssue(issue, 'input')}`);
  return ['Invalid parameters:', ...issues, 'Correct them and call the tool again.'].join('\n');
}
