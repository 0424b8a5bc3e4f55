import { z } from 'zod';
import { checkValue, fieldProblems } from '../../domain/kernel';
import type { Diagnostic } from '../../domain/skill';
import { type ApprovalRule, approvalRulesSchema } from '../../domain/tool';
import { approvalProblems } from '../../domain/tool/approval';
import { aboutFile, atFields, readDefinition, readSafely } from '../diagnostics';
import { readDefinitionFile } from '../read-text';

/** The approval rules in a file, or everything that is wrong with it. */
export type ReadApprovals = { readonly rules: readonly ApprovalRule[] } | { readonly errors: readonly Diagnostic[] };

const fileSchema = z.strictObject({ approve: approvalRulesSchema });

/** Reads approval rules from a YAML or JSON file, whose only field is `approve`. */
export async function readApprovalFile(path: string): Promise<ReadApprovals> {
  return readSafely<ReadApprovals>(
    path,
    async () => {
      const read = await readDefinitionFile(path);
      return 'problem' in read ? { errors: [aboutFile(path, 'error', read.problem)] } : readApprovals(read.text, path);
    },
    (errors) => ({ errors }),
  );
}

/** Parses the text of such a file. `file` is its path as shown in diagnostics. */
function readApprovals(text: string, file: string): ReadApprovals {
  const read = readDefinition(text, file);
  if ('errors' in read) return read;
  const parsed = checkValue(fileSchema, read.value);
  if (!parsed.success)
    return { errors: atFields(file, 'error', parsed.error.issues.flatMap(fieldProblems), read.locate) };
  const problems = approvalProblems(parsed.data.approve).map(({ path, message }) => ({
    path: ['approve', ...path],
    message,
  }));
  return problems.length === 0
    ? { rules: parsed.data.approve }
    : { errors: atFields(file, 'error', problems, read.locate) };
}
