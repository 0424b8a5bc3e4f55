import { StoreError } from '../../domain/store/errors';
import { storeRemedy } from '../explain';

export interface Finding {
  readonly name: string;
  /** `warn`: Baton works, but something is missing. */
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly fix?: string;
}

/** One thing that doctor looks at. What it throws is a finding too. */
export interface Check {
  readonly name: string;
  run(): Promise<Omit<Finding, 'name'>>;
}

export async function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, run } of checks) findings.push({ name, ...(await tried(run)) });
  return findings;
}

async function tried(run: Check['run']): Promise<Omit<Finding, 'name'>> {
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
