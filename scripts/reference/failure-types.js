const { join } = require('node:path');
const { root, table } = require('./source.js');

module.exports = function failures() {
  const { failureTypes } = require(join(root, 'dist', 'domain', 'failure-types.js'));
  const areas = groupByArea(Object.entries(failureTypes));
  return [
    '# Failure types',
    'All failures that Baton itself reports. The names are shown in the Web UI and by `baton show`, and can be used in retry policies. Released names are never changed.',
    ...[...areas].flatMap(([area, types]) => [
      `## ${area}`,
      table(['type', 'meaning', 'remedy', 'retried'], types.map(row)),
    ]),
  ].join('\n\n');
};

function row([type, { meaning, remedy, retryable }]) {
  return [`\`${type}\``, meaning, remedy, retryable ? 'yes' : 'no'];
}

function groupByArea(entries) {
  const areas = new Map();
  for (const entry of entries) {
    const area = entry[0].split('.', 1)[0];
    areas.set(area, [...(areas.get(area) ?? []), entry]);
  }
  return areas;
}
