import { z } from 'zod';
import {
  delegationIdSchema,
  limitsSchema,
  optionalList,
  optionalText,
  positionSchema,
  sectionIndexSchema,
} from '../document';
import { sectionPathSchema } from '../sections';

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
const parentToolSchema = z.strictObject({ ...toolFields, access });
/** Like `parentToolSchema`, for a tool that only the subagent has. Without `access`, its use is unrestricted. */
const addedToolSchema = z.strictObject({ ...toolFields, access: access.optional() });

/** The tools and the environment of a subagent. */
const toolingSchema = z.strictObject({
  tools: z.array(parentToolSchema).optional().describe("Every tool of the parent's active list"),
  added: z.array(addedToolSchema).optional().describe('Tools that only this subagent gets'),
  environment: z
    .strictObject({
      workingDirectory: optionalText,
      workspace: optionalText.describe('The files, and their size'),
      network: optionalText.describe('What the tools can reach'),
      authScopes: optionalList,
      rateLimits: optionalList,
      budget: optionalText,
    })
    .optional(),
});

export type ToolingInput = Readonly<z.infer<typeof toolingSchema>>;
export type ToolInput = Readonly<z.infer<typeof addedToolSchema>>;

const parentSchema = z.strictObject({
  agentId: z.string().min(1),
  promptNs: z.string().min(1),
  promptKey: z.string().min(1),
  sections: sectionIndexSchema.optional(),
  parameters: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe('Values that the parent and its ancestors have bound. No field may use their placeholders again'),
});

const delegationSchema = z.strictObject({
  reason: z.string().describe('One sentence'),
  expectedCompletion: z.string().describe('One line, for example "a patch that passes the tests"'),
  mayDelegateFurther: z.boolean(),
  taskSummary: z.string(),
  requiredOutputs: optionalList,
  scope: z.strictObject({ include: optionalList, exclude: optionalList }).optional(),
  additionalContext: z
    .array(z.strictObject({ title: z.string(), source: optionalText, timestamp: optionalText, body: z.string() }))
    .optional(),
});

const policiesSchema = z.strictObject({
  inherited: z.array(sectionPathSchema).optional(),
  relaxed: z.array(z.strictObject({ path: sectionPathSchema, how: z.string(), reason: z.string() })).optional(),
  added: optionalList,
});

const instructionsSchema = z.strictObject({
  role: optionalText,
  principles: optionalList.describe('Most important first'),
  escalation: z
    .strictObject({ stopWhen: optionalList, blockers: optionalList, partialProgress: optionalText })
    .optional(),
  policies: policiesSchema.optional(),
  toolPolicies: z
    .array(z.strictObject({ tool: z.string().min(1), text: z.string() }))
    .optional()
    .describe('One entry for every tool whose access is not inherited'),
});

const reportingSchema = z.strictObject({
  format: optionalText,
  attachments: z.array(z.strictObject({ name: z.string(), upload: optionalText })).optional(),
  deadline: optionalText,
  cadence: optionalText,
  citations: optionalText,
});

/** Input of a six-section composition, without the text of the parent's prompt. */
export const compositionSchema = z.strictObject({
  parent: parentSchema,
  delegation: delegationSchema,
  instructions: instructionsSchema.optional(),
  tooling: toolingSchema.optional(),
  reporting: reportingSchema.optional(),
  redactions: z
    .array(
      z.strictObject({
        path: z.array(z.string().min(1)).describe('A section of the parent prompt; empty for the whole prompt'),
        reason: z.string(),
      }),
    )
    .optional(),
  redactionNotes: optionalList.describe('Further lines of the redaction summary'),
  position: positionSchema.optional(),
  delegationId: delegationIdSchema.optional(),
  limits: limitsSchema.optional(),
});
export type CompositionInput = Readonly<z.infer<typeof compositionSchema>>;

/** Input of `baton compose`: `compositionSchema` plus the text of the parent's prompt. */
export const composeDocumentSchema = compositionSchema.extend({
  parent: parentSchema.extend({
    rendered: z.string().min(1).describe('The prompt of the delegating agent, exactly as it was rendered'),
  }),
});
export type ComposeDocument = Readonly<z.infer<typeof composeDocumentSchema>>;
