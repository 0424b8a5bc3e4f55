import { z } from 'zod';
import { delegationControlsSchema } from '../agent';
import { closestName, definitionFields, filledTextSchema, InvalidInputError, jsonDigest } from '../kernel';
import type { Diagnostic } from '../skill';
import { isPath } from '../workspace';
import { inputMappingSchema, referenceText, stepName, valueReferenceSchema } from './references';

const name = z
  .string()
  .regex(stepName, 'must start with a letter, followed by letters, digits, `_` and `-`; at most 40 characters');

const loopSchema = z.strictObject({
  /** The relay goes back if this value equals `equals`. If `from` selects several values, one equal value is enough. */
  when: z.strictObject({
    from: referenceText,
    equals: z.union([z.string(), z.number(), z.boolean(), z.null()], 'must be a string, a number, true, false or null'),
  }),
  /** Name of this step or an earlier step. All steps from there on run again. */
  to: z.string(),
  /** Maximum number of times the loop is taken. After that the relay fails. */
  max: z.int().min(1).max(20),
  /** Input fields that are added to, or replace, those of the step that the loop goes back to. */
  feedback: inputMappingSchema.optional(),
});
export type RelayLoop = Readonly<z.infer<typeof loopSchema>>;

/** Maximum number of steps in a relay. */
const maxSteps = 50;
/** Maximum items of a fan-out, unless the step sets `maxItems`. */
export const defaultMaxItems = 50;

const stepSchema = z.strictObject({
  name,
  skill: filledTextSchema,
  input: inputMappingSchema,
  /** Names of expected artifacts. The step fails if one is missing. In a fan-out, every item has to write them. */
  artifacts: z
    .array(
      z
        .string()
        .refine((artifact) => artifact.length <= 160 && isPath(artifact), 'must be a file name such as PLAN.md'),
    )
    .max(50)
    .optional(),
  /** A list. The step runs once for each of its entries. */
  each: valueReferenceSchema.omit({ as: true, optional: true }).optional(),
  maxItems: z.int().min(1).max(500).optional(),
  /** Runs the items in parallel. They must not change the same files. */
  parallel: z.boolean().optional(),
  loop: loopSchema.optional(),
});
export type RelayStep = Readonly<z.infer<typeof stepSchema>>;

/** A relay definition, as written in a file and as pinned by a run. Plain JSON. */
export const relaySchema = z.strictObject({
  ...definitionFields,
  steps: z.array(stepSchema).min(1).max(maxSteps),
  /** Controls of all delegations of the relay. Its `tools` apply to every agent. */
  delegation: delegationControlsSchema.optional(),
});
/** A relay definition. `parseRelay` checks it. */
export type RelayDefinition = Readonly<z.infer<typeof relaySchema>>;

/** Returns the hash of a relay. Comments and layout of its file do not affect it. */
export function relayHash(relay: RelayDefinition): string {
  return jsonDigest(relay);
}

/** A relay definition and the file it was loaded from. */
export interface LoadedRelay {
  readonly relay: RelayDefinition;
  readonly hash: string;
  readonly file: string;
  readonly from: 'shipped' | 'project';
}

/** The relays of a folder, and the diagnostics of its files. */
export interface RelayFolder {
  readonly relays: readonly LoadedRelay[];
  readonly findings: readonly Diagnostic[];
}

/** Loads the relays that are currently available. */
export type RelayLoader = () => Promise<readonly RelayDefinition[]>;

/** All available relays. `get` throws an `UnknownRelayError` for an unknown name. */
export interface RelayCatalog extends RelayFolder {
  get(name: string): LoadedRelay;
}

/** Thrown when no relay has the requested name. */
export class UnknownRelayError extends InvalidInputError {
  constructor(name: string, known: readonly string[]) {
    const meant = closestName(name, known);
    const hint = meant === undefined ? '' : `Did you mean "${meant}"? `;
    super('relay', `unknown relay "${name}"`, `${hint}Available: ${known.join(', ') || 'none'}.`);
  }
}
