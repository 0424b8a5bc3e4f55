import { readApprovalFile } from '../definitions/tool/read-approvals';
import { formatDiagnostic } from '../domain/skill';
import type { ApprovalRule } from '../domain/tool';
import { InvalidSettingError } from '../temporal-config/node/setup-error';

/** Reads the approval rules of a worker from the file that `BATON_APPROVE` names. None if it is unset. */
export async function approvalRulesFrom(file: string | undefined): Promise<readonly ApprovalRule[]> {
  if (file === undefined) return [];
  const read = await readApprovalFile(file);
  if ('rules' in read) return read.rules;
  throw new InvalidSettingError(
    'BATON_APPROVE',
    read.errors.map(formatDiagnostic).join('; '),
    'Correct the file; its format is described in docs/approvals.md.',
  );
}
