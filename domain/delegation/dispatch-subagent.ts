import { z } from 'zod';
import { snapshotFormat } from '../session';
import { dispatchSubagentName, type ToolDescription } from '../tool';

/** Maximum characters of a final message that reaches the parent. Longer ones are summarized. */
export const maxSummaryCharacters = 4_000;

// The tool's specification allows printable ASCII, tabs and line breaks.
const ascii = /^[\t\n\r\x20-\x7e]*$/;
const asciiText = (max: number): z.ZodString =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .regex(ascii, 'must be ASCII');

/** Parameters of `dispatch_subagent`, in the model's spelling. */
export const dispatchSubagentSchema = z
  .strictObject({
    mode: z
      .enum(['plan_step', 'ad_hoc'])
      .describe('plan_step if this delegation carries out a step of your plan, otherwise ad_hoc'),
    prompt_ns: z.string().min(1).describe('Namespace of the prompt to dispatch'),
    prompt_key: z.string().min(1).describe('Key of the prompt to dispatch'),
    instructions: asciiText(2_000).describe(
      'What the subagent should do. Must be self-contained. ASCII, at most 2,000 characters',
    ),
    expected_artifacts: z
      .array(asciiText(160))
      .max(50)
      .nullish()
      .describe(
        'What it must deliver. Names of artifacts and paths of files, such as report.md or src/auth.ts (./Makefile without ' +
          'an extension), are checked; anything else is a description, which is not checked. ASCII, at most 160 characters each',
      ),
    plan_step_id: z.string().min(1).nullish().describe('Id of the plan step, such as S001; required in mode plan_step'),
    snapshot_version: z
      .string()
      .min(1)
      .nullish()
      .describe(
        `Session snapshot version that you expect; yours was ${snapshotFormat} when you started. Omit unless you need the check`,
      ),
  })
  .refine(({ mode, plan_step_id }) => mode !== 'plan_step' || (plan_step_id ?? undefined) !== undefined, {
    path: ['plan_step_id'],
    message: 'is required when mode is plan_step',
  });
export type DispatchSubagentParameters = Readonly<z.infer<typeof dispatchSubagentSchema>>;

/**
 * Describes `dispatch_subagent` for models and prompts. The workflow itself carries out the call, as a child workflow.
 */
export function dispatchSubagentTool(): ToolDescription {
  const inputSchema = z.toJSONSchema(dispatchSubagentSchema, { io: 'input' }) as ToolDescription['inputSchema'];
  delete inputSchema['$schema'];
  return {
    name: dispatchSubagentName,
    id: 'baton/dispatch_subagent@2',
    description: 'Spawn an isolated subagent run with the full tool suite and return a summarized result.',
    inputSchema,
    success:
      "The subagent's summary, followed by a line of JSON with prompt_ns, prompt_key, message_summary, artifacts and tools_used.",
    cost: "All of the subagent's turns; only its summary enters your context.",
    safeToRepeat: true,
  };
}
