const { readdirSync } = require('node:fs');
const { join } = require('node:path');
const { readSource, root, table } = require('./source.js');

module.exports = function decisions() {
  const notes = readdirSync(join(root, 'docs', 'decisions')).filter((name) => name !== 'README.md');
  const titleOf = (name) => /^# (.*)$/m.exec(readSource(join('docs', 'decisions', name)))?.[1] ?? name;
  return [
    '# Decisions',
    'A note for each choice that someone might want to reverse: what was decided, why, and what else was looked at. A new note is a new file here; `npm run reference` adds it to this list.',
    table(
      ['about', 'decision'],
      notes.sort().map((name) => [name.split(/[-.]/, 1)[0], `[${titleOf(name)}](${name})`]),
    ),
  ].join('\n\n');
};
