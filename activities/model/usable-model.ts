import { log } from '@temporalio/activity';
import { missingCapabilities } from '../../domain/model';
import type { ModelPort } from '../dependencies';

/** What was logged already, by the port of the worker. */
const reported = new WeakMap<ModelPort, Set<string>>();

/**
 * Checks that this worker can call a model. Called when an agent is opened, so that a missing package or key is not found
 * in the middle of its work. Throws a `Model.*` failure. What the provider cannot do is logged once per model.
 */
export async function requireUsableModel(port: ModelPort, name: string): Promise<void> {
  await port.check?.(name);
  for (const missing of missingFor(port, name)) {
    logOnce(port, `The provider of the model ${name} has ${missing}`);
  }
}

function missingFor(port: ModelPort, name: string): readonly string[] {
  const capabilities = port.capabilities?.(name);
  return capabilities === undefined ? [] : missingCapabilities(capabilities);
}

/** A model that agents of a run may have, and the skill or the prompt that names it, such as `skill planner`. */
export interface NamedModel {
  readonly definition: string;
  readonly name: string;
}

/**
 * Describes what the providers of a run's models cannot do: those of its root, and those of skills and prompts that it may
 * dispatch. One whose model cannot be used does not fail the run, because nobody knows yet whether it is needed; its
 * dispatch is refused.
 */
export async function modelNotes(
  port: ModelPort,
  root: readonly string[],
  others: readonly NamedModel[],
): Promise<readonly string[]> {
  const notes = root.flatMap((name) => missingFor(port, name).map((missing) => `${name}: ${missing}`));
  for (const { definition, name } of others) {
    if (root.includes(name)) continue;
    const problem = await problemWith(port, name);
    const found = problem === undefined ? missingFor(port, name) : [`cannot be used. ${problem}`];
    notes.push(...found.map((note) => `${name} (${definition}): ${note}`));
    if (problem !== undefined) reportUnusable(port, definition, problem);
  }
  return notes;
}

/** Logs once that a skill or a prompt cannot be dispatched. */
export function reportUnusable(port: ModelPort, definition: string, problem: string): void {
  logOnce(port, `The ${definition} cannot be dispatched: ${problem}`);
}

async function problemWith(port: ModelPort, name: string): Promise<string | undefined> {
  try {
    await port.check?.(name);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function logOnce(port: ModelPort, message: string): void {
  const known = reported.get(port) ?? new Set<string>();
  reported.set(port, known);
  if (known.has(message)) return;
  known.add(message);
  log.warn(message);
}
