import type { z } from 'zod';
import { checkValue, firstIssue } from '../domain/kernel';
import { unreadableReason } from './payload-converter';

/** A value that was sent to a workflow, or the reason why it is not accepted. */
export type Sent<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly field: string; readonly reason: string };

/**
 * Checks a value that was sent to a workflow: its input, or the argument of a message. `null` counts as nothing, because
 * clients in other languages have no other way to send nothing.
 */
export function readSent<Schema extends z.ZodType>(schema: Schema, sent: unknown): Sent<z.output<Schema>> {
  const unreadable = unreadableReason(sent);
  if (unreadable !== undefined) return { ok: false, field: 'input', reason: `must be JSON: ${unreadable}` };
  const parsed = checkValue(schema, sent ?? undefined);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, ...firstIssue(parsed.error) };
}
