import { z } from 'zod';
import type { AgentSettings } from '../agent/settings';
import { toolNameSchema, type ToolDescription } from './description';

export const requestToolName = 'request_tool';

/** Parameters of `request_tool`. */
export const requestToolSchema = z.strictObject({
  name: toolNameSchema,
  reason: z.string().min(1).max(500),
});

/** Describes `request_tool`, with which an agent that has fewer tools than the root agent can request more. */
export function describeRequestTool(): ToolDescription {
  return {
    name: requestToolName,
    id: 'baton/request_tool@1',
    description:
      'Asks for a tool that you were not given. Say why you cannot do without it. The answer may take long, and may be no: use it only when the work cannot be done otherwise.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the tool.' },
        reason: { type: 'string', description: 'Why the work cannot be done without it, in a sentence.' },
      },
      required: ['name', 'reason'],
      additionalProperties: false,
    },
    success: 'You have the tool from now on.',
    cost: 'May wait for a person.',
    safeToRepeat: true,
  };
}

/** Returns the decision of the run's own rules about a tool request; undefined when no rule matches. */
export function ruleFor(
  { toolRequests }: Pick<AgentSettings, 'toolRequests'>,
  name: string,
): 'grant' | 'deny' | undefined {
  if (toolRequests?.deny.includes(name) === true) return 'deny';
  return toolRequests?.grant.includes(name) === true ? 'grant' : undefined;
}
