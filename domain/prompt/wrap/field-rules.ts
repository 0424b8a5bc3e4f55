import type { AuthoredField } from '../checks/fields';
import { authoredFields } from '../checks/fields';
import {
  rejectMarkers,
  rejectReservedHeadings,
  requireOneLine,
  requireText,
  requireWellFormed,
} from '../checks/text-rules';
import type { WrappingInput } from './wrap-input';

/** Notes on the answer's schema may have several lines; all other fields are single-line bullets. */
const schemaNote = /^parent\.output\.(?:fields\[\d+\]\.(?:description|rules)|reporting\[\d+\])$/;
const notShown = /^(?:position|parent\.sections)\b/;
const mayBeEmpty = /^parent\.output\.fields\[\d+\]\.(?:description|rules)$/;

/** Checks all texts of the input. Returns the texts that appear in the prompt. */
export function checkWrapFields(input: WrappingInput): AuthoredField[] {
  const fields = authoredFields(input);
  requireWellFormed(fields);
  rejectMarkers(fields);
  const shown = fields.filter(({ field }) => !notShown.test(field));
  requireOneLine(shown.filter(({ field }) => !schemaNote.test(field)));
  requireText(shown.filter(({ field }) => !mayBeEmpty.test(field)));
  rejectReservedHeadings(shown);
  return shown;
}
