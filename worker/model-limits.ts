import { readModelLimits } from '../definitions/model/read-limits';
import { describeLimit, type ModelLimits } from '../domain/limit';
import { InvalidSettingError } from '../temporal-config/node/setup-error';

/**
 * Reads the limits of providers from BATON_MODEL_LIMITS. Invalid ones keep the worker from starting: it would send more than
 * it is allowed to.
 */
export async function limitsFrom(setting: string | undefined): Promise<ModelLimits> {
  const read = await readModelLimits(setting);
  if ('limits' in read) return read.limits;
  throw new InvalidSettingError('BATON_MODEL_LIMITS', read.problem, 'The format is described in docs/rate-limits.md.');
}

/** Describes the limits of a worker, one in each line. */
export function limitLines(limits: ModelLimits): readonly string[] {
  return Object.entries(limits).map(([pattern, limit]) => `Limit of ${pattern}: ${describeLimit(limit)}`);
}
