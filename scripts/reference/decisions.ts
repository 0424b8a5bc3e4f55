import { filesIn, readSource, table } from './source';

const folder = 'docs/decisions';

export function decisionsPage(): string {
  const notes = filesIn(folder).filter((name) => name !== 'README.md');
  const titleOf = (name: string): string => /^# (.*)$/m.exec(readSource(`${folder}/${name}`))?.[1] ?? name;
  return [
    '# Decisions',
    'One note for each choice that someone might want to reverse: what was decided, why, and which alternatives were considered. To add a note, add a file here and run `npm run reference`, which updates this list.',
    table(
      ['area', 'decision'],
      notes.sort().map((name) => [name.replace(/[-.].*/, ''), `[${titleOf(name)}](${name})`]),
    ),
  ].join('\n\n');
}
