import type { AuthoredField } from '../checks/fields';
import { authoredFields } from '../checks/fields';
import { rejectPlaceholders } from '../checks/placeholders';
import {
  rejectMarkers,
  rejectReservedHeadings,
  requireOneLine,
  requireText,
  requireWellFormed,
} from '../checks/text-rules';
import type { CompositionInput } from './compose-input';

/** Fields that appear in a heading or in a single-line bullet. */
const oneLine = new Set([
  'delegationId',
  'parent.agentId',
  'parent.promptNs',
  'parent.promptKey',
  'parent.sections[].path[]',
  'delegation.reason',
  'delegation.expectedCompletion',
  'delegation.additionalContext[].title',
  'delegation.additionalContext[].source',
  'delegation.additionalContext[].timestamp',
  'instructions.policies.inherited[][]',
  'instructions.policies.relaxed[].path[]',
  'instructions.toolPolicies[].tool',
  'tooling.tools[].name',
  'tooling.tools[].id',
  'tooling.added[].name',
  'tooling.added[].id',
  'tooling.environment.workingDirectory',
  'reporting.attachments[].name',
  'redactions[].path[]',
]);

/** Fields for which an empty text counts as omitted. */
const mayBeEmpty = new Set([
  'delegation.additionalContext[].source',
  'delegation.additionalContext[].timestamp',
  'delegation.additionalContext[].body',
  'instructions.role',
  'instructions.escalation.partialProgress',
  'tooling.tools[].reason',
  'tooling.tools[].alternative',
  'tooling.added[].reason',
  'tooling.added[].alternative',
  'tooling.environment.workingDirectory',
  'reporting.format',
  'reporting.attachments[].upload',
  'reporting.deadline',
  'reporting.cadence',
  'reporting.citations',
  'redactions[].reason', // checked in checks/redactions.ts
]);

const contextBody = 'delegation.additionalContext[].body';

/** Checks all texts of the input. Returns the texts that appear in the prompt. */
export function checkCompositionFields(input: CompositionInput): AuthoredField[] {
  const all = authoredFields(input);
  requireWellFormed(all);
  // Bound values appear only in the parent's text, where markers are allowed.
  const authored = all.filter(({ field }) => !field.startsWith('parent.parameters.'));
  rejectMarkers(authored);
  requireOneLine(authored.filter(({ field }) => oneLine.has(shape(field))));
  requireText(
    authored.filter(({ field }) => !mayBeEmpty.has(shape(field)) && !/^(?:position|parent\.sections)\b/.test(field)),
  );
  rejectReservedHeadings(authored.filter(({ field }) => shape(field) !== contextBody));
  // Quoted material and tool metadata may contain `${…}`.
  const instructing = authored.filter(
    ({ field }) => shape(field) !== contextBody && !/^(?:tooling|parent|position)\b/.test(field),
  );
  rejectPlaceholders(instructing, input.parent.parameters ?? {});
  return authored;
}

function shape(field: string): string {
  return field.replace(/\[\d+\]/g, '[]');
}
