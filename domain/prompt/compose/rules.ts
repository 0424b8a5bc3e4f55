import {
  type AuthoredField,
  authoredFields,
  rejectMarkers,
  rejectPlaceholders,
  rejectReservedHeadings,
  requireOneLine,
  requireOneSentence,
  requireText,
  requireWellFormed,
} from '../checks/text-rules';
import { isBlank } from '../markdown';
import { PromptError } from '../prompt-error';
import type { CompositionInput, ToolInput } from './compose-input';

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
  'redactionNotes[]',
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
  'tooling.environment.workspace',
  'tooling.environment.network',
  'tooling.environment.budget',
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
  requireOneSentence(authored.filter(({ field }) => field === 'delegation.reason'));
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

interface ListedTool {
  readonly tool: ToolInput;
  readonly field: string;
}

/** Checks the tool list. A change of access must be stated in both the tool list and the instructions. */
export function validateTooling({ tooling = {}, instructions = {} }: CompositionInput): void {
  const listed = [
    ...(tooling.tools ?? []).map((tool, index) => ({ tool, field: `tooling.tools[${index}]` })),
    ...(tooling.added ?? []).map((tool, index) => ({ tool, field: `tooling.added[${index}]` })),
  ];
  const policies = (instructions.toolPolicies ?? []).map(({ tool }) => tool);
  requireDistinct(listed);
  const explained = new Set(policies);
  listed.forEach((entry) => {
    requireExplained(entry, explained);
  });
  requireKnownTools(policies, listed);
}

function requireExplained({ tool, field }: ListedTool, policies: ReadonlySet<string>): void {
  const { access = 'inherited', name, id } = tool;
  if (access === 'inherited') return;
  if (access === 'revoked' && field.startsWith('tooling.added')) {
    throw invalid(`${field}.access`, `${name} is added and revoked at once`, 'Remove the tool.');
  }
  if (isBlank(tool.reason))
    throw invalid(`${field}.reason`, `${name} is ${access} without a reason`, 'Provide a reason.');
  if (isBlank(tool.alternative)) {
    throw invalid(
      `${field}.alternative`,
      `${name} is ${access} without an alternative`,
      'Describe how to work without it.',
    );
  }
  if (!policies.has(name) && !policies.has(id)) {
    throw invalid(
      'instructions.toolPolicies',
      `${name} is ${access}, but the instructions do not say so`,
      `Add { "tool": "${name}", "text": … } that describes what this means for the subagent.`,
    );
  }
}

function requireDistinct(listed: readonly ListedTool[]): void {
  for (const key of ['name', 'id'] as const) {
    const seen = new Set<string>();
    for (const { tool, field } of listed) {
      if (seen.has(tool[key])) {
        throw invalid(
          `${field}.${key}`,
          `another tool has the same ${key} ${tool[key]}`,
          'Names and identifiers must be unique.',
        );
      }
      seen.add(tool[key]);
    }
  }
}

function requireKnownTools(policies: readonly string[], listed: readonly ListedTool[]): void {
  const known = new Set(listed.flatMap(({ tool }) => [tool.name, tool.id]));
  const index = policies.findIndex((policy) => !known.has(policy));
  if (index === -1) return;
  throw invalid(
    `instructions.toolPolicies[${index}].tool`,
    `unknown tool ${policies[index] ?? ''}`,
    'Use a tool that is listed in tooling.tools or tooling.added.',
  );
}

function invalid(field: string, reason: string, remediation: string): PromptError {
  return new PromptError('Prompt.InvalidTooling', field, reason, remediation);
}
