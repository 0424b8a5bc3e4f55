import type { CheckAnswerInput, CheckedAnswer } from '../../domain/skill';
import { checkOutput, outputFormatSchema } from '../../domain/skill/output';
import { mediaTypes } from '../../domain/store';
import { getJson, readSpilled, spillText } from '../../store/blobs';
import { type ActivityDependencies, runStoreFor } from '../dependencies';

/** Checks a final message against the required output format. A violation is returned, not thrown. */
export async function checkAnswer(
  { store }: Pick<ActivityDependencies, 'store'>,
  input: CheckAnswerInput,
): Promise<CheckedAnswer> {
  const runStore = runStoreFor(store, input);
  const [format, text] = await Promise.all([
    getJson(runStore, input.format, outputFormatSchema, 'output format'),
    readSpilled(runStore, input.text, 'answer'),
  ]);
  const checked = checkOutput(format, text);
  if (!checked.ok) return checked;
  const mediaType = format.json === undefined ? mediaTypes.text : mediaTypes.json;
  return { ok: true, text: await spillText(runStore, checked.text, mediaType) };
}
