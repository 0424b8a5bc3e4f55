import { z } from 'zod';
import type { OpenedAgent } from '../agent';
import { uncheckedObject } from '../kernel';
import {
  type PreparedDelegation,
  type ReadyDelegation,
  readyDelegationSchema,
  refusedDelegationSchema,
} from './contract';

/** Fields in which one agent differs from another; null for a field that only the other one has. */
type Difference = { readonly [Field in keyof OpenedAgent]?: OpenedAgent[Field] | null };

/** A delegation that is ready to start, without what it has in common with the one before it, or with its parent. */
const readyTogetherSchema = readyDelegationSchema.extend({ opened: uncheckedObject<Difference>() });

/**
 * Result of preparing the delegations of some calls, in the order of the calls. Null for one that could not be prepared
 * although others could, or that does not fit into the payload: it has to be prepared alone.
 */
export const preparedTogetherSchema = z.object({
  delegations: z
    .array(z.discriminatedUnion('ok', [readyTogetherSchema, refusedDelegationSchema]).nullable())
    .readonly(),
});
export type PreparedTogether = Readonly<z.infer<typeof preparedTogetherSchema>>;

/**
 * Removes what agents have in common: most differ from their siblings only in their prompt, and history would repeat the
 * rest for each of them. `size` measures an entry; those that no longer fit into `maxBytes` become null.
 */
export function packPrepared(
  parent: OpenedAgent,
  prepared: readonly (PreparedDelegation | null)[],
  { maxBytes, size }: { readonly maxBytes: number; size(entry: unknown): number },
): PreparedTogether {
  let previous = parent;
  let room = maxBytes;
  const delegations = prepared.map((one) => {
    const entry = one?.ok === true ? { ...one, opened: differenceOf(previous, one.opened) } : one;
    const bytes = size(entry);
    if (entry === null || bytes > room) return null;
    room -= bytes;
    if (one?.ok === true) previous = one.opened;
    return entry;
  });
  return { delegations };
}

/** Restores what `packPrepared` was given, with the same parent. */
export function unpackPrepared(
  parent: OpenedAgent,
  { delegations }: PreparedTogether,
): readonly (PreparedDelegation | null)[] {
  let previous = parent;
  return delegations.map((entry) => {
    if (entry?.ok !== true) return entry;
    previous = withDifference(previous, entry.opened);
    return { ...entry, opened: previous } satisfies ReadyDelegation;
  });
}

function differenceOf(from: OpenedAgent, to: OpenedAgent): Difference {
  const missing = Object.keys(from).filter((name) => !Object.hasOwn(to, name));
  const known: Readonly<Record<string, unknown>> = from;
  const changed = Object.entries(to).filter(([name, value]) => JSON.stringify(known[name]) !== JSON.stringify(value));
  return Object.fromEntries([...changed, ...missing.map((name) => [name, null] as const)]);
}

function withDifference(from: OpenedAgent, difference: Difference): OpenedAgent {
  const fields = Object.entries({ ...from, ...difference }).filter(([, value]) => value !== null);
  return Object.fromEntries(fields) as OpenedAgent;
}
