import { InvalidInputError } from '../../domain/kernel';
import { type ModelLimits, parseModelLimits } from '../../domain/limit';
import { formatDiagnostic } from '../../domain/skill';
import { readDefinition } from '../diagnostics';
import { readDefinitionFile } from '../read-text';

/** The limits of providers, or what is wrong with them. */
type ReadLimits = { readonly limits: ModelLimits } | { readonly problem: string };

/**
 * Reads the limits of providers from JSON or YAML: from the text itself if it begins like an object, else from the file that
 * it names. Empty if nothing is set.
 */
export async function readModelLimits(setting: string | undefined): Promise<ReadLimits> {
  if (setting === undefined) return { limits: {} };
  if (setting.trimStart().startsWith('{')) return limitsIn(setting, 'limits');
  const read = await readDefinitionFile(setting);
  return 'problem' in read ? { problem: `${setting}: ${read.problem}` } : limitsIn(read.text, setting);
}

function limitsIn(text: string, source: string): ReadLimits {
  const read = readDefinition(text, source);
  if ('errors' in read) return { problem: read.errors.map(formatDiagnostic).join('; ') };
  try {
    return { limits: parseModelLimits(read.value, source) };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return { problem: `${error.field}: ${error.reason}` };
  }
}
