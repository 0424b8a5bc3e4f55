import type { SectionNode } from '../layout';
import { block, bullets, code, fenced, field, fieldList, isBlank } from '../markdown';
import type { AppliedRedaction } from '../redaction';
import { formatSectionPath } from '../sections';
import type { CompositionInput } from './compose-input';

type Delegation = CompositionInput['delegation'];

/** The parts of the parent that the subagent does not see. */
export interface WithheldParts {
  readonly redactions: readonly AppliedRedaction[];
  /** Further lines of the summary. */
  readonly notes: readonly string[];
  readonly transcript: boolean;
}

/** The Delegation Details section: the task, its scope and context, and what was withheld. */
export function detailsSection(delegation: Delegation, withheld: WithheldParts): SectionNode {
  const outputs = delegation.requiredOutputs ?? [];
  return {
    key: 'delegation-details',
    title: 'Delegation Details',
    body: '',
    children: [
      { key: 'task-summary', title: 'Task Summary', body: block(delegation.taskSummary) },
      {
        key: 'required-outputs',
        title: 'Required Outputs',
        body: outputs.length > 0 ? bullets(outputs) : 'Nothing beyond the expected completion state.',
      },
      { key: 'scope-constraints', title: 'Scope Constraints', body: scope(delegation.scope) },
      additionalContext(delegation.additionalContext ?? []),
      ...redactionSummary(withheld),
    ],
  };
}

function scope({ include = [], exclude = [] }: NonNullable<Delegation['scope']> = {}): string {
  if (include.length === 0 && exclude.length === 0) return 'inherit parent scope';
  const lines = [];
  if (include.length > 0) lines.push(fieldList('Included', include));
  if (exclude.length > 0) lines.push(fieldList('Excluded', exclude));
  return lines.join('\n');
}

function additionalContext(entries: NonNullable<Delegation['additionalContext']>): SectionNode {
  return {
    key: 'additional-context',
    title: 'Additional Context',
    body: entries.length === 0 ? 'None.' : '',
    children: entries.map(({ title, source, timestamp, body }, index) => ({
      key: `context-${index + 1}`,
      title,
      body: [
        field('Source', isBlank(source) ? 'not stated' : source),
        field('Timestamp', isBlank(timestamp) ? 'not stated' : timestamp),
        '',
        fenced(body),
      ].join('\n'),
    })),
  };
}

/** The redaction summary appears only if something was withheld. Its absence means that everything was inherited. */
function redactionSummary({ redactions, notes, transcript }: WithheldParts): SectionNode[] {
  const lines = redactions.map(({ path, reason, start, end }) => {
    const what = path.length === 0 ? 'The whole parent prompt' : code(formatSectionPath(path));
    return `${what} (${end - start} bytes) – ${reason}`;
  });
  lines.push(...notes);
  if (transcript)
    lines.push("The parent's transcript – withheld by policy: the conversation is not part of the delegation.");
  if (lines.length === 0) return [];
  return [{ key: 'redaction-summary', title: 'Redaction Summary', body: bullets(lines) }];
}

type Reporting = NonNullable<CompositionInput['reporting']>;

/** The Reporting Requirements section: the format of the answer, attachments, timing and citations. */
export function reportingSection({ format, attachments = [], deadline, cadence, citations }: Reporting): SectionNode {
  return {
    key: 'reporting-requirements',
    title: 'Reporting Requirements',
    body: '',
    children: [
      {
        key: 'format',
        title: 'Format',
        body: isBlank(format) ? 'In the format that the parent prompt requires for its own answer.' : block(format),
      },
      { key: 'attachments', title: 'Attachments', body: attachmentLines(attachments) },
      {
        key: 'timing',
        title: 'Deadline and Cadence',
        body: [
          field('Deadline', isBlank(deadline) ? 'none' : deadline),
          field('Status updates', isBlank(cadence) ? 'none until the final report' : cadence),
        ].join('\n'),
      },
      {
        key: 'citations',
        title: 'Citations',
        body: isBlank(citations) ? 'Cite the file, tool call or source behind every claim.' : block(citations),
      },
    ],
  };
}

function attachmentLines(attachments: NonNullable<Reporting['attachments']>): string {
  if (attachments.length === 0) return 'None.';
  return bullets(attachments.map(({ name, upload }) => (isBlank(upload) ? name : `${name} – ${upload}`)));
}
