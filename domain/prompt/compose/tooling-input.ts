import { z } from 'zod';
import { optionalList, optionalText } from '../document-parts';

const toolFields = {
  name: z.string().min(1),
  id: z.string().min(1),
  success: z.string().min(1).describe('What a successful call means'),
  cost: z.string().min(1).describe('Indication of what a call costs'),
  provenance: z.string().min(1).describe('Where the tool comes from'),
  reason: optionalText.describe('Why access is not inherited; required when it is not'),
  alternative: optionalText.describe('How to work instead; required when access is not inherited'),
};
const access = z.enum(['inherited', 'restricted', 'revoked']);

/** A tool of the parent, and the subagent's access to it. */
export const parentToolSchema = z.strictObject({ ...toolFields, access });
/** Like `parentToolSchema`, for a tool that only the subagent has. Without `access`, its use is unrestricted. */
export const addedToolSchema = z.strictObject({ ...toolFields, access: access.optional() });

/** The tools and the environment of a subagent. */
export const toolingSchema = z.strictObject({
  tools: z.array(parentToolSchema).optional().describe("Every tool of the parent's active list"),
  added: z.array(addedToolSchema).optional().describe('Tools that only this subagent gets'),
  environment: z
    .strictObject({ workingDirectory: optionalText, authScopes: optionalList, rateLimits: optionalList })
    .optional(),
});

export type ToolingInput = Readonly<z.infer<typeof toolingSchema>>;
export type ToolInput = Readonly<z.infer<typeof addedToolSchema>>;
