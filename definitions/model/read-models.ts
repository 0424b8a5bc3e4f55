import { z } from 'zod';
import { checkValue, fieldProblems } from '../../domain/kernel';
import { type ModelCatalog, modelCatalogSchema } from '../../domain/model';
import type { Diagnostic } from '../../domain/skill';
import { aboutFile, atFields, readDefinition, readSafely } from '../diagnostics';
import { readDefinitionFile } from '../read-text';

/** The models that a file describes, or everything that is wrong with it. */
export type ReadModels = { readonly models: ModelCatalog } | { readonly errors: readonly Diagnostic[] };

const modelsFileSchema = z.strictObject({ models: modelCatalogSchema });

/** Reads context windows and prices of models from a YAML or JSON file. */
export async function readModelsFile(path: string): Promise<ReadModels> {
  return readSafely<ReadModels>(
    path,
    async () => {
      const read = await readDefinitionFile(path);
      return 'problem' in read ? { errors: [aboutFile(path, 'error', read.problem)] } : readModels(read.text, path);
    },
    (errors) => ({ errors }),
  );
}

/** Parses the text of such a file. `file` is its path as shown in diagnostics. */
export function readModels(text: string, file: string): ReadModels {
  const read = readDefinition(text, file);
  if ('errors' in read) return read;
  const parsed = checkValue(modelsFileSchema, read.value);
  if (parsed.success) return { models: parsed.data.models };
  return { errors: atFields(file, 'error', parsed.error.issues.flatMap(fieldProblems), read.locate) };
}
