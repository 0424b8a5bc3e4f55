import { z } from 'zod';
import type { ToolDescription } from '../../domain/tool/description';

/** What a tool may use while it runs. */
export interface ToolContext {
  readonly workspace: { readonly root: string } | undefined;
  /** Aborted when the run is cancelled or the worker stops. */
  readonly signal: AbortSignal;
}

/** What the model is told. */
export interface ToolResult {
  readonly message: string;
  readonly isError?: boolean;
}

export interface ToolSpec<Parameters extends z.ZodType> {
  readonly name: string;
  readonly id: string;
  readonly description: string;
  readonly parameters: Parameters;
  readonly success: string;
  readonly cost: string;
  readonly safeToRepeat: boolean;
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
  const { name, id, description, parameters, success, cost, safeToRepeat } = spec;
  const { $schema: _, ...inputSchema } = z.toJSONSchema(parameters, { io: 'input' }) as ToolDescription['inputSchema'];
  return {
    description: { name, id, description, inputSchema, success, cost, safeToRepeat },
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
