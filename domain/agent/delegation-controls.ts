import { z } from 'zod';
import { canonicalJson, filledTextSchema, utf8 } from '../kernel';
import { toolControlsSchema } from '../tool';

const texts = z.array(filledTextSchema).max(100).optional();
const line = filledTextSchema.refine((text) => !/[\n\r]/.test(text), 'must be one line');

/** A SectionPath as prompts print it: keys with slashes between them. `*` matches any part of a key. */
const sectionPattern = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z0-9_.*-]+(?:\/[A-Za-z0-9_.*-]+)*$/,
    'must be the path of a section, such as working-rules or delegation-*/tooling-context',
  );

/** What delegations are told, what is withheld from them, and what they may do. Everything is optional. */
const fields = {
  redactions: z
    .array(
      z.strictObject({
        path: sectionPattern,
        /** Why the section is withheld, for the redaction summary. */
        reason: line,
        /** Whether a delegation is refused if the parent's prompt has no such section. Default: it is noted. */
        required: z.boolean().optional(),
      }),
    )
    .max(100)
    .optional(),
  scope: z.strictObject({ include: texts, exclude: texts }).optional(),
  /** Most important first. */
  principles: texts,
  policies: z
    .strictObject({
      /** Sections of the parent's prompt to cite. Default: its outermost ones. */
      inherited: z.array(sectionPattern).max(100).optional(),
      relaxed: z
        .array(z.strictObject({ path: sectionPattern, how: line, reason: line }))
        .max(100)
        .optional(),
      added: texts,
    })
    .optional(),
  tools: toolControlsSchema.optional(),
  escalation: z
    .strictObject({ stopWhen: texts, blockers: texts, partialProgress: filledTextSchema.optional() })
    .optional(),
  reporting: z
    .strictObject({
      /** When to report progress before the final report. */
      cadence: filledTextSchema.optional(),
      attachments: z
        .array(z.strictObject({ name: line, upload: line.optional() }))
        .max(100)
        .optional(),
      citations: filledTextSchema.optional(),
    })
    .optional(),
};

/** Maximum bytes of what a run adds. It is part of the input of every agent of the run. */
const maxRunBytes = 6 * 1024;
const maxDefinitionBytes = 16 * 1024;

function withinBytes(limit: number): (value: object) => boolean {
  return (value) => utf8(canonicalJson(value)).length <= limit;
}

/** Controls of all delegations of a run or a relay. They add to those of the prompts and skills. */
export const delegationControlsSchema = z
  .strictObject(fields)
  .refine(withinBytes(maxRunBytes), `must have at most ${maxRunBytes} bytes as JSON`);
/** Controls of all delegations of a run or a relay. They add to those of the prompts and skills. */
export type DelegationControls = Readonly<z.infer<typeof delegationControlsSchema>>;

/** Controls of the delegations to one prompt or skill. */
export const definitionControlsSchema = z
  .strictObject({
    ...fields,
    /** Whether the child sees the parent's prompt. Default: `embedded` for a prompt, `withheld` for a skill. */
    parentPrompt: z.enum(['embedded', 'withheld']).optional(),
  })
  .refine(withinBytes(maxDefinitionBytes), `must have at most ${maxDefinitionBytes} bytes as JSON`);
/** Controls of the delegations to one prompt or skill. */
export type DefinitionControls = Readonly<z.infer<typeof definitionControlsSchema>>;

/** Controls without those of tools, which are pinned as the agent's access. */
export type TextControls = Omit<DelegationControls, 'tools'>;

/**
 * Adds the controls of a run to those of a definition, or to those of a relay: lists are joined, in this order, and
 * of two single values the run's is used.
 */
export function mergeControls(first: TextControls = {}, second: TextControls = {}): TextControls {
  const [policies, more] = [first.policies ?? {}, second.policies ?? {}];
  const [escalation, moreEscalation] = [first.escalation ?? {}, second.escalation ?? {}];
  const [reporting, moreReporting] = [first.reporting ?? {}, second.reporting ?? {}];
  const partialProgress = moreEscalation.partialProgress ?? escalation.partialProgress;
  const cadence = moreReporting.cadence ?? reporting.cadence;
  const citations = moreReporting.citations ?? reporting.citations;
  return {
    redactions: joined(first.redactions, second.redactions),
    scope: {
      include: joined(first.scope?.include, second.scope?.include),
      exclude: joined(first.scope?.exclude, second.scope?.exclude),
    },
    principles: joined(first.principles, second.principles),
    policies: {
      inherited: joined(policies.inherited, more.inherited),
      relaxed: joined(policies.relaxed, more.relaxed),
      added: joined(policies.added, more.added),
    },
    escalation: {
      stopWhen: joined(escalation.stopWhen, moreEscalation.stopWhen),
      blockers: joined(escalation.blockers, moreEscalation.blockers),
      ...(partialProgress === undefined ? {} : { partialProgress }),
    },
    reporting: {
      ...(cadence === undefined ? {} : { cadence }),
      attachments: joined(reporting.attachments, moreReporting.attachments),
      ...(citations === undefined ? {} : { citations }),
    },
  };
}

function joined<Item>(first: readonly Item[] = [], second: readonly Item[] = []): Item[] {
  return [...first, ...second];
}
