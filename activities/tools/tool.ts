import { z } from 'zod';
import type { BlobRef } from '../../domain/store/blob-ref';
import type { RunStore } from '../../domain/store/store';
import type { ToolDescription } from '../../domain/tool/description';
import type { SessionEvent } from '../../domain/tool/event';
import type { FileChange } from '../../domain/workspace/change';
import type { WorkspaceView } from '../../domain/workspace/view';

/** What a tool may use while it runs. */
export interface ToolContext {
  /** The files of the agent; undefined when it was given none. Tools never change it: they return changes. */
  readonly workspace: WorkspaceView | undefined;
  /** The run's blobs: what a tool puts here has no effect until the tool returns a reference to it. */
  readonly blobs: Pick<RunStore, 'put' | 'get'>;
  /** What agents have left for each other so far. */
  readonly artifacts: readonly { readonly name: string; readonly ref: BlobRef }[];
  /** Records of the slices that the tool declares to read, by the slice's name. */
  readonly slices: Readonly<Record<string, readonly unknown[]>>;
  /** Who asks, as it stands in records. */
  readonly agent: string;
  /** Longer results are cut by the engine; a tool that reads parts can better do so itself. */
  readonly maxResultBytes?: number;
  /** Files that others changed since the agent last read them. */
  readonly unseen?: readonly string[];
  /** Aborted when the run is cancelled or the worker stops. */
  readonly signal: AbortSignal;
}

/** What the model is told, and what the call does to the session. */
export interface ToolResult {
  readonly message: string;
  readonly isError?: boolean;
  /** Files that the tool wants changed; each is lost if somebody else changed the file in between. */
  readonly changes?: readonly FileChange[];
  readonly events?: readonly SessionEvent[];
  /** The file that the model has read by this. */
  readonly read?: string;
}

export interface ToolSpec<Parameters extends z.ZodType> {
  readonly name: string;
  readonly id: string;
  readonly description: string;
  readonly parameters: Parameters;
  readonly success: string;
  readonly cost: string;
  readonly safeToRepeat: boolean;
  /** Slices of the session that the tool needs to see, by name. */
  readonly reads?: readonly string[];
  /** A throw is a failure of the tool, and the model is told its message. */
  run(parameters: z.infer<Parameters>, context: ToolContext): Promise<ToolResult>;
}

/** A tool of any parameters, which it checks itself. */
export interface Tool {
  readonly description: ToolDescription;
  /** `input` is what the model sent, unchecked. */
  run(input: unknown, context: ToolContext): Promise<ToolResult>;
}

/** A failure that the model should hear about in these very words. */
export class ToolError extends Error {}

/** Makes a tool from its parts: the schema that checks the parameters is also the one that the model gets. */
export function defineTool<Parameters extends z.ZodType>(spec: ToolSpec<Parameters>): Tool {
  const { name, id, description, parameters, success, cost, safeToRepeat, reads } = spec;
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
    },
    async run(input, context) {
      const parsed = parameters.safeParse(input);
      return parsed.success ? spec.run(parsed.data, context) : { isError: true, message: complaint(parsed.error) };
    },
  };
}

function complaint(error: z.ZodError): string {
  const issues = error.issues.map(
    ({ path, message }) => `- ${path.length === 0 ? 'input' : path.join('.')}: ${message}`,
  );
  return ['The parameters are not valid:', ...issues, 'Correct them and call the tool again.'].join('\n');
}
