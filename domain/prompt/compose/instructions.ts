import { promptDepth, type SectionNode } from '../layout';
import { block, bullets, code, field, fieldList, isBlank, numbered } from '../markdown';
import type { Embedding } from '../redaction';
import { formatSectionPath, pathKey, type SectionPath } from '../sections';
import type { CompositionInput } from './compose-input';

/** True for every delegation, whatever it embeds. */
const defaultPrinciples = [
  'Do what Delegation Details require, and nothing beyond their scope.',
  'Follow the policies and tool policies below.',
  'Where that is impossible, follow Escalation.',
];

const instructionsKey = 'subagent-instructions';

type Instructions = NonNullable<CompositionInput['instructions']>;

/** The Subagent Instructions section: the subagent's role and the rules that apply to it. */
export function instructionsSection(input: CompositionInput, parent: Embedding): SectionNode {
  const { role, principles = [], escalation = {}, policies = {}, toolPolicies = [] } = input.instructions ?? {};
  return {
    key: instructionsKey,
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
        body: numbered(principles.length > 0 ? principles : defaultPrinciples),
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
  { withheld, bytes, inherited: kept }: Embedding,
): string {
  const everything = bytes === 0 ? 'none: the parent prompt is withheld.' : 'every policy of the parent prompt.';
  const changed = new Set(relaxed.map(({ path }) => pathKey(path)));
  const cited = inherited.length > 0 ? inherited : kept.filter((path) => isPolicy(path) && !changed.has(pathKey(path)));
  const gone = new Set(withheld.map(pathKey));
  const named = (path: SectionPath): string =>
    code(formatSectionPath(path)) + (gone.has(pathKey(path)) ? ' (its text is withheld, see Redaction Summary)' : '');
  const lines = [fieldList('Inherited', cited.length > 0 ? cited.map(named) : [everything])];
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

/**
 * Whether a section of the parent's prompt contains policies that its delegations inherit: the outermost sections of the
 * root's prompt, and the instructions of each delegation above. The other parts of a delegation concern that one alone.
 */
function isPolicy(path: SectionPath): boolean {
  return path.length === 1 || (path.length === 2 && path[1] === instructionsKey && promptDepth([{ path }]) > 0);
}

function toolPolicySection(policies: NonNullable<Instructions['toolPolicies']>): SectionNode[] {
  if (policies.length === 0) return [];
  const lines = policies.map(({ tool, text }) => `${code(tool)} – ${text}`);
  return [{ key: 'tool-policies', title: 'Tool Policies', body: bullets(lines) }];
}
