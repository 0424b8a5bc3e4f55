import { isBlank } from '../markdown';
import { PromptError } from '../prompt-error';
import type { CompositionInput } from './compose-input';
import type { ToolInput } from './tooling-input';

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
  listed.forEach((entry) => {
    requireExplained(entry, policies);
  });
  requireKnownTools(policies, listed);
}

function requireExplained({ tool, field }: ListedTool, policies: readonly string[]): void {
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
  if (!policies.includes(name) && !policies.includes(id)) {
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
  const index = policies.findIndex((policy) => !listed.some(({ tool }) => tool.name === policy || tool.id === policy));
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
