import type { SectionNode } from '../layout';
import { block, bullets, field, isBlank } from '../markdown';
import type { CompositionInput } from './compose-input';

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
