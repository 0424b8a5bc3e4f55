import { type DelegationControls, delegationControlsSchema } from '../../domain/agent';
import { checkValue, fieldProblems } from '../../domain/kernel';
import { controlsProblems } from '../../domain/prompt';
import type { Diagnostic } from '../../domain/skill';
import { aboutFile, atFields, readDefinition, readSafely } from '../diagnostics';
import { readDefinitionFile } from '../read-text';

/** The controls in a file, or everything that is wrong with it. */
export type ReadControls = { readonly controls: DelegationControls } | { readonly errors: readonly Diagnostic[] };

/** Reads the controls of a run's delegations from a YAML or JSON file. */
export async function readControlsFile(path: string): Promise<ReadControls> {
  return readSafely<ReadControls>(
    path,
    async () => {
      const read = await readDefinitionFile(path);
      return 'problem' in read ? { errors: [aboutFile(path, 'error', read.problem)] } : readControls(read.text, path);
    },
    (errors) => ({ errors }),
  );
}

/** Parses the text of such a file. `file` is its path as shown in diagnostics. */
export function readControls(text: string, file: string): ReadControls {
  const read = readDefinition(text, file);
  if ('errors' in read) return read;
  const parsed = checkValue(delegationControlsSchema, read.value);
  const problems = parsed.success ? controlsProblems(parsed.data) : parsed.error.issues.flatMap(fieldProblems);
  if (parsed.success && problems.length === 0) return { controls: parsed.data };
  return { errors: atFields(file, 'error', problems, read.locate) };
}
