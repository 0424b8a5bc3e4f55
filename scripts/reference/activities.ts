import { activityContracts } from '../../activities/contracts';
import { fieldsOf } from './schema-fields';
import { table } from './source';

export function activitiesPage(): string {
  return [
    '# Activities',
    'All side effects of a run. Their names and fields are what histories and the Web UI show. Only workflows call them.',
    table(
      ['name', 'meaning', 'input', 'result'],
      activityContracts.map(({ name, description, input, result }) => [
        `\`${name}\``,
        description,
        fieldsOf(input),
        fieldsOf(result),
      ]),
    ),
  ].join('\n\n');
}
