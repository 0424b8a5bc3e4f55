import type { SectionNode } from '../layout';
import { block, bullets, code, field, fieldList, isBlank, numbered } from '../markdown';
import type { Embedding } from '../redaction';
import { formatSectionPath, pathKey, type SectionPath } from '../sections';
import type { CompositionInput } from './compose-input';

type Instructions = NonNullable<CompositionInput['instructions']>;

/** The Subagent Instructions section: the subagent's role and the rules that apply to it. */
export function instructionsSection(
  input: CompositionInput,
  parent: Pick<Embedding, 'withheld' | 'bytes'>,
): SectionNode {
  const { role, principles = [], escalation = {}, policies = {}, toolPolicies = [] } = input.instructions ?? {};
  return {
    key: 'subagent-instructions',
    title: 'Subagent Instructions',
    body: '',
    children: [
      {
        key: 'role',
        title: 'Role',
        body: isBlank(role) ? `You perform this task on behalf of ${code(input.parent.agentId)}.` : block(role),
      },
      {
        key: 'execution-principles',
        title: 'Execution Principles',
        body: principles.length > 0 ? numbered(principles) : 'Those of the parent prompt, in the same order.',
      },
      { key: 'escalation', title: 'Escalation', body: escalationLines(escalation) },
      { key: 'policies', title: 'Policies', body: policyLines(policies, parent) },
      ...toolPolicySection(toolPolicies),
    ],
  };
}

function escalationLines({
  stopWhen = [],
  blockers = [],
  partialProgress,
}: NonNullable<Instructions['escalation']>): string {
  return [
    fieldList('Stop when', stopWhen.length > 0 ? stopWhen : ['the task is done, or cannot be done as described.']),
    fieldList('Surface these blockers', blockers.length > 0 ? blockers : ['anything that prevents a required output.']),
    field(
      'Partial progress',
      isBlank(partialProgress) ? 'report what is done, what is not, and why.' : partialProgress,
    ),
  ].join('\n');
}

function policyLines(
  { inherited = [], relaxed = [], added = [] }: NonNullable<Instructions['policies']>,
  { withheld, bytes }: Pick<Embedding, 'withheld' | 'bytes'>,
): string {
  const everything = bytes === 0 ? 'none: the parent prompt is withheld.' : 'every policy of the parent prompt.';
  const gone = new Set(withheld.map(pathKey));
  const named = (path: SectionPath): string =>
    code(formatSectionPath(path)) + (gone.has(pathKey(path)) ? ' (its text is withheld, see Redaction Summary)' : '');
  const lines = [fieldList('Inherited', inherited.length > 0 ? inherited.map(named) : [everything])];
  if (relaxed.length > 0) {
    lines.push(
      fieldList(
        'Relaxed',
        relaxed.map(({ path, how, reason }) => `${named(path)} – ${how} (reason: ${reason})`),
      ),
    );
  }
  if (added.length > 0) lines.push(fieldList('Added', added));
  return lines.join('\n');
}

function toolPolicySection(policies: NonNullable<Instructions['toolPolicies']>): SectionNode[] {
  if (policies.length === 0) return [];
  const lines = policies.map(({ tool, text }) => `${code(tool)} – ${text}`);
  return [{ key: 'tool-policies', title: 'Tool Policies', body: bullets(lines) }];
}
