import { ApplicationFailure } from '@temporalio/common';
import { DispatchRefusedError } from '../../domain/delegation';
import { type FailureType, failureTypes } from '../../domain/kernel';
import type { ModelPort } from '../dependencies';
import { requireUsableModel } from '../model/usable-model';

/** Refuses a skill or a prompt whose model this worker cannot call. The agent that dispatches it can do without. */
export async function requireSkillModel(port: ModelPort, skill: string, model: string, field = 'skill'): Promise<void> {
  try {
    await requireUsableModel(port, model);
  } catch (error) {
    if (!(error instanceof ApplicationFailure) || !isFailureType(error.type)) throw error;
    const reason = `the model of "${skill}", "${model}", cannot be used: ${error.message}`;
    throw new DispatchRefusedError(field, reason, 'Choose another one, or do the work yourself.', error.type);
  }
}

function isFailureType(type: string | null | undefined): type is FailureType {
  return typeof type === 'string' && Object.hasOwn(failureTypes, type);
}
