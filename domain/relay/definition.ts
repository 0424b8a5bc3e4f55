import { z } from 'zod';
import { jsonDigest } from '../hash';
import { isPath } from '../workspace/path';
import { fromSchema, inputMappingSchema, referenceText } from './input-value';
import { stepName } from './reference';

const text = z.string().refine((value) => value.trim() !== '', 'must not be empty');
const name = z.string().regex(stepName, 'must begin with a letter, then letters, digits, `_` and `-`, at most 40');

const loopSchema = z.strictObject({
  /** The value after which the relay goes back: of several (`[*]`), one that is equal is enough. */
  when: z.strictObject({
    from: referenceText,
    equals: z.union([z.string(), z.number(), z.boolean(), z.null()], 'must be a text, a number, true, false or null'),
  }),
  /** This step or an earlier one; all from there on are run again. */
  to: z.string(),
  /** How often it goes back before the relay fails. */
  max: z.int().min(1).max(20),
  /** Fields that the step it goes back to gets besides, or instead. */
  feedback: inputMappingSchema.optional(),
});
export type RelayLoop = Readonly<z.infer<typeof loopSchema>>;

export const maxSteps = 50;
/** Items of one fan-out, when the step names no limit of its own. */
export const defaultMaxItems = 50;

const stepSchema = z.strictObject({
  name,
  skill: text,
  input: inputMappingSchema,
  /** Names of artifacts without which the step has failed; of a fan-out, every item has to leave them. */
  artifacts: z
    .array(
      z
        .string()
        .refine((artifact) => artifact.length <= 160 && isPath(artifact), 'must be a file name such as PLAN.md'),
    )
    .max(50)
    .optional(),
  /** A list; the step is run once for each of its entries. */
  each: fromSchema.omit({ as: true, optional: true }).optional(),
  maxItems: z.int().min(1).max(500).optional(),
  /** Only for items that change no files. */
  parallel: z.boolean().optional(),
  loop: loopSchema.optional(),
});
export type RelayStep = Readonly<z.infer<typeof stepSchema>>;

/** A relay as it stands in a file. Completed, it is the same: plain JSON, and what a run pins. */
export const relaySchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, 'must be a name of letters, digits, `_`, `.` and `-`, at most 64'),
  description: text.refine((value) => value.length <= 1024, 'must be at most 1,024 characters'),
  steps: z.array(stepSchema).min(1).max(maxSteps),
});
export type RelayDefinition = Readonly<z.infer<typeof relaySchema>>;

/** The identity of a relay, whatever its file looks like. */
export function relayHash(relay: RelayDefinition): string {
  return jsonDigest(relay);
}
