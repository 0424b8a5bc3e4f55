import { InvalidInputError, type Json } from '../../domain/kernel';
import { type PickOutputInput, type SelectedValues, selectOutput } from '../../domain/relay';
import {
  checkOutput,
  isTextOnly,
  type OutputFormat,
  outputFormatSchema,
  responseElement,
} from '../../domain/prompt/output';
import { getJson, measurePayload, readSpilled } from '../../store/blobs';
import { runStoreFor, type SharedDependencies } from '../dependencies';

/** Maximum bytes of one final message that later steps may use by value. */
const maxPickedBytes = 24 * 1024;

/** Selects the values that a relay uses from a step's final message. */
export async function pickOutput({ store }: SharedDependencies, input: PickOutputInput): Promise<SelectedValues> {
  const runStore = runStoreFor(store, input);
  const text = await readSpilled(runStore, input.text, 'final message of a step');
  const format =
    input.format === null ? null : await getJson(runStore, input.format, outputFormatSchema, 'output format');
  const picked = selectOutput(valueOf(format, text), input.paths);
  const bytes = measurePayload(picked);
  if (bytes <= maxPickedBytes) return picked;
  throw new InvalidInputError(
    'output',
    `the relay uses ${bytes} bytes of this final message; the limit for values is ${maxPickedBytes}`,
    'Use fewer values, or pass the content as an artifact.',
  );
}

/** Parses a final message. Its format was checked before, which may have removed the enclosing element. */
function valueOf(format: OutputFormat | null, text: string): Json {
  if (format === null || isTextOnly(format)) return text;
  const opening = `<${responseElement}>`;
  const bare = format.xml !== undefined && !text.trimStart().startsWith(opening);
  const checked = checkOutput(format, bare ? `${opening}${text}</${responseElement}>` : text);
  if (checked.ok) return checked.value;
  throw new InvalidInputError(
    'output',
    'the final message does not match the output format of its skill',
    checked.violation,
  );
}
