const { readdirSync } = require('node:fs');
const { join } = require('node:path');
const { readSource, root, table } = require('./source.js');

module.exports = function decisions() {
  const notes = readdirSync(join(root, 'docs', 'decisions')).filter((name) => name !== 'README.md');
  const titleOf = (name) => /^# (.*)$/m.exec(readSource(join('docs', 'decisions', name)))?.[1] ?? name;
  return [
    '# Decisions',
    'One note for each choice that someone might want to reverse: what was decided, why, and which alternatives were considered. To add a note, add a file here and run `npm run reference`, which updates this list.',
    table(
      ['area', 'decision'],
      notes.sort().map((name) => [name.split(/[-.]/, 1)[0], `[${titleOf(name)}](${name})`]),
    ),
  ].join('\n\n');
};
