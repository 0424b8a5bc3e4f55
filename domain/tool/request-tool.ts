import { z } from 'zod';
import { toolNameSchema, type ToolDescription } from './description';

export const requestToolName = 'request_tool';

/** Parameters of `request_tool`. */
export const requestToolSchema = z.strictObject({
  name: toolNameSchema,
  reason: z.string().min(1).max(500),
});

/** Describes `request_tool`, with which an agent that has fewer tools than the root agent can request more. */
export function requestToolDescription(): ToolDescription {
  return {
    name: requestToolName,
    id: 'baton/request_tool@1',
    description:
      'Requests a tool that you were not given. Explain why you need it. The answer can take a long time and may be no, so use this only when the work cannot be done otherwise.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the tool' },
        reason: { type: 'string', description: 'Why the work cannot be done without it, in one sentence' },
      },
      required: ['name', 'reason'],
      additionalProperties: false,
    },
    success: 'You can use the tool from now on.',
    cost: 'May wait for a human decision.',
    safeToRepeat: true,
  };
}

/** Requests for tools that a run answers without an operator. */
export const toolRequestsSchema = z.strictObject({
  grant: z.array(toolNameSchema).max(100),
  deny: z.array(toolNameSchema).max(100),
});

/** Returns the decision of the run's own rules about a tool request; undefined when no rule matches. */
export function toolRequestRule(
  { toolRequests }: { readonly toolRequests?: z.infer<typeof toolRequestsSchema> | undefined },
  name: string,
): 'grant' | 'deny' | undefined {
  if (toolRequests?.deny.includes(name) === true) return 'deny';
  return toolRequests?.grant.includes(name) === true ? 'grant' : undefined;
}
