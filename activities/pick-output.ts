import { InvalidInputError } from '../domain/errors';
import type { Json } from '../domain/json-value';
import { checkOutput } from '../domain/output/check-output';
import { pick, type PickedValues } from '../domain/relay';
import { outputFormatSchema, responseElement, type OutputFormat } from '../domain/skill/output-format';
import { getJson } from '../store/json-blobs';
import { measurePayload, readSpilled } from '../store/spill';
import { storeAt, type SharedDependencies } from './dependencies';
import type { PickOutputInput } from './interface';

/** So much of one final message can be handed on by value. */
const maxPickedBytes = 24 * 1024;

/** Reads a step's final message, and takes from it only what the relay uses. */
export async function pickOutput({ store }: SharedDependencies, input: PickOutputInput): Promise<PickedValues> {
  const runStore = storeAt(store, input);
  const text = await readSpilled(runStore, input.text, 'final message of a step');
  const format =
    input.format === null ? null : await getJson(runStore, input.format, outputFormatSchema, 'output format');
  const picked = pick(valueOf(format, text), input.paths);
  const bytes = measurePayload(picked);
  if (bytes <= maxPickedBytes) return picked;
  throw new InvalidInputError(
    'output',
    `the relay uses ${bytes} bytes of this final message, and at most ${maxPickedBytes} can be handed on by value`,
    'Use less of it, or hand it on as an artifact.',
  );
}

/** Free text is itself. What is strict was accepted before, and its element around taken off. */
function valueOf(format: OutputFormat | null, text: string): Json {
  if (format === null) return text;
  const opening = `<${responseElement}>`;
  const bare = format.xml !== undefined && !text.trimStart().startsWith(opening);
  const checked = checkOutput(format, bare ? `${opening}${text}</${responseElement}>` : text);
  if (checked.ok) return checked.value;
  throw new InvalidInputError(
    'output',
    'the final message has not the form that its skill asks for',
    checked.violation,
  );
}
