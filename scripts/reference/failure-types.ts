import { type FailureTypeInfo, failureTypes } from '../../domain/kernel';
import { table } from './source';

type Entry = readonly [type: string, info: FailureTypeInfo];

export function failureTypesPage(): string {
  const areas = groupByArea(Object.entries(failureTypes));
  return [
    '# Failure types',
    'All failures that Baton itself reports. The names are shown in the Web UI and by `baton show`, and can be used in retry policies. Released names are never changed.',
    ...[...areas].flatMap(([area, types]) => [
      `## ${area}`,
      table(['type', 'meaning', 'remedy', 'retried'], types.map(row)),
    ]),
  ].join('\n\n');
}

function row([type, { meaning, remedy, retryable }]: Entry): string[] {
  return [`\`${type}\``, meaning, remedy, retryable ? 'yes' : 'no'];
}

function groupByArea(entries: readonly Entry[]): Map<string, Entry[]> {
  const areas = new Map<string, Entry[]>();
  for (const entry of entries) {
    const area = entry[0].replace(/\..*/, '');
    areas.set(area, [...(areas.get(area) ?? []), entry]);
  }
  return areas;
}
