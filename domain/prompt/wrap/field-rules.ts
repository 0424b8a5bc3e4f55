import type { AuthoredField } from '../checks/fields';
import { authoredFields } from '../checks/fields';
import {
  refuseMarkers,
  refuseReservedHeadings,
  requireOneLine,
  requireText,
  requireWellFormed,
} from '../checks/text-rules';
import type { WrappingInput } from './input';

/** The bullets of the header and of the recap are one line each; the notes on the answer's schema need not be. */
const schemaNote = /^parent\.output\.(?:fields\[\d+\]\.(?:description|rules)|reporting\[\d+\])$/;
const notShown = /^(?:position|parent\.sections)\b/;
const mayBeEmpty = /^parent\.output\.fields\[\d+\]\.(?:description|rules)$/;

export function checkFields(input: WrappingInput): AuthoredField[] {
  const fields = authoredFields(input);
  requireWellFormed(fields);
  refuseMarkers(fields);
  const shown = fields.filter(({ field }) => !notShown.test(field));
  requireOneLine(shown.filter(({ field }) => !schemaNote.test(field)));
  requireText(shown.filter(({ field }) => !mayBeEmpty.test(field)));
  refuseReservedHeadings(shown);
  return shown;
}
