import { canonicalJson } from '../../domain/kernel';
import type { CheckAnswerInput, CheckedAnswer } from '../../domain/prompt';
import { checkOutput, isTextOnly, outputFormatSchema } from '../../domain/prompt/output';
import { mediaTypes } from '../../domain/store';
import { getJson, readSpilled, spillText } from '../../store/blobs';
import { type ActivityDependencies, runStoreFor } from '../dependencies';

/** Checks a final message against the required output format. A violation is returned, not thrown. */
export async function checkAnswer(
  { store }: Pick<ActivityDependencies, 'store'>,
  input: CheckAnswerInput,
): Promise<CheckedAnswer> {
  const runStore = runStoreFor(store, input);
  const [format, message] = await Promise.all([
    getJson(runStore, input.format, outputFormatSchema, 'output format'),
    readSpilled(runStore, input.text, 'answer'),
  ]);
  const checked = checkOutput(format, message);
  if (!checked.ok) return checked;
  const mediaType = format.json === undefined ? mediaTypes.text : mediaTypes.json;
  const text = await spillText(runStore, checked.text, mediaType);
  const answer = { ok: true, text, characters: checked.text.length } as const;
  if (isTextOnly(format)) return answer;
  return { ...answer, value: await spillText(runStore, canonicalJson(checked.value), mediaTypes.json) };
}
