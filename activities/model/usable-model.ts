import { log } from '@temporalio/activity';
import { missingCapabilities } from '../../domain/model';
import type { SkillDefinition } from '../../domain/skill';
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

/**
 * Describes what the providers of a run's models cannot do: that of its root, and those of skills that it may dispatch. A
 * skill whose model cannot be used does not fail the run, because nobody knows yet whether it is needed; its dispatch is
 * refused.
 */
export async function modelNotes(
  port: ModelPort,
  root: string,
  skills: readonly SkillDefinition[],
): Promise<readonly string[]> {
  const notes = missingFor(port, root).map((missing) => `${root}: ${missing}`);
  for (const { name: skill, model } of skills) {
    if (model.name === undefined || model.name === root) continue;
    const problem = await problemWith(port, model.name);
    const found = problem === undefined ? missingFor(port, model.name) : [`cannot be used. ${problem}`];
    notes.push(...found.map((note) => `${model.name} (skill ${skill}): ${note}`));
    if (problem !== undefined) logOnce(port, `The skill ${skill} cannot be dispatched: ${problem}`);
  }
  return notes;
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
