import { StoreError } from '../../domain/store/errors';
import { storeRemedy } from '../explain';

/** The result of one check. */
export interface Finding {
  readonly name: string;
  /** `warn` means that Baton works but something is missing. */
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly fix?: string;
}

/** One check of `baton doctor`. If it throws, the error becomes a failed finding. */
export interface Check {
  readonly name: string;
  run(): Promise<Omit<Finding, 'name'>>;
}

/** Runs the checks one after the other. */
export async function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, run } of checks) findings.push({ name, ...(await attempt(run)) });
  return findings;
}

async function attempt(run: Check['run']): Promise<Omit<Finding, 'name'>> {
  try {
    return await run();
  } catch (error) {
    return asFinding(error);
  }
}

function asFinding(error: unknown): Omit<Finding, 'name'> {
  const detail = error instanceof Error ? error.message : String(error);
  const fix = error instanceof StoreError ? storeRemedy : (error as { remedy?: unknown }).remedy;
  return { state: 'fail', detail, ...(typeof fix === 'string' ? { fix } : {}) };
}
