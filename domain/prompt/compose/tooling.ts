import type { SectionNode } from '../layout';
import { code, field, fieldList, isBlank } from '../markdown';
import type { ToolingInput, ToolInput } from './compose-input';

/** The Tooling Context section: every tool of the subagent with its access and provenance, and the environment. */
export function toolingSection({ tools = [], added = [], environment = {} }: ToolingInput): SectionNode {
  return {
    key: 'tooling-context',
    title: 'Tooling Context',
    body: '',
    children: [
      {
        key: 'parent-tools',
        title: 'Parent Tools',
        body: tools.length === 0 ? 'The parent has no tools.' : '',
        children: tools.map((tool) => toolSection(tool, tool.access)),
      },
      ...(added.length === 0
        ? []
        : [
            {
              key: 'added-tools',
              title: 'Added Tools',
              body: 'Available only in this delegation.',
              children: added.map((tool) => toolSection(tool, tool.access ?? 'inherited')),
            },
          ]),
      environmentSection(environment),
    ],
  };
}

function toolSection(tool: ToolInput, access: string): SectionNode {
  return { key: tool.name, title: code(tool.name), body: toolLines(tool, access) };
}

/** Describes a tool for the model. Used for composed prompts and for tools granted later. */
export function toolLines(tool: ToolInput, access: string): string {
  const lines = [
    field('Identifier', code(tool.id)),
    field('Success', tool.success),
    field('Cost', tool.cost),
    field('Access', code(access)),
    field('Provenance', tool.provenance),
  ];
  if (!isBlank(tool.reason)) lines.push(field('Reason', tool.reason));
  if (!isBlank(tool.alternative)) lines.push(field('Alternative', tool.alternative));
  return lines.join('\n');
}

/** The environment. The section is always present, so a reader can tell that nothing was stated. */
function environmentSection(environment: NonNullable<ToolingInput['environment']>): SectionNode {
  const { workingDirectory, workspace, network, authScopes = [], rateLimits = [], budget } = environment;
  const lines = [];
  if (!isBlank(workingDirectory)) lines.push(field('Working directory', code(workingDirectory)));
  if (!isBlank(workspace)) lines.push(field('Workspace', workspace));
  if (!isBlank(network)) lines.push(field('Network access', network));
  if (authScopes.length > 0) lines.push(fieldList('Auth scopes', authScopes));
  if (rateLimits.length > 0) lines.push(fieldList('Rate limits', rateLimits));
  if (!isBlank(budget)) lines.push(field('Budget', budget));
  const body = lines.length === 0 ? 'Not stated.' : lines.join('\n');
  return { key: 'environment', title: 'Environment', body };
}
