import type { CheckedAnswer } from '../../domain/agent';
import { canonicalJson } from '../../domain/kernel';
import { checkOutput, isTextOnly, type OutputFormat } from '../../domain/prompt/output';
import { mediaTypes, type RunStore } from '../../domain/store';
import { spillText } from '../../store/blobs';

/** Checks a final message against the required output format. A violation is returned, not thrown. */
export async function checkAnswer(store: RunStore, format: OutputFormat, message: string): Promise<CheckedAnswer> {
  const checked = checkOutput(format, message);
  if (!checked.ok) return { violation: checked.violation };
  const mediaType = format.json === undefined ? mediaTypes.text : mediaTypes.json;
  const answer = { text: await spillText(store, checked.text, mediaType), characters: checked.text.length };
  if (isTextOnly(format)) return answer;
  return { ...answer, value: await spillText(store, canonicalJson(checked.value), mediaTypes.json) };
}
