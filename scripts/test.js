// All tests: first the tiers that may run side by side, then those that measure time, alone. Arguments go to Jest.
const { spawnSync } = require('node:child_process');
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const jest = join(__dirname, '..', 'node_modules', 'jest', 'bin', 'jest.js');
const sideBySide = ['domain', 'activities', 'architecture', 'workflows', 'e2e', 'chaos'];
const alone = ['timing'];

const given = process.argv.slice(2);
const outputAt = given.findIndex((argument) => argument.startsWith('--outputFile='));
const output = outputAt < 0 ? undefined : given[outputAt].slice('--outputFile='.length);
const others = given.filter((_, index) => index !== outputAt);

function run(tiers, file) {
  const args = ['--selectProjects', ...tiers, ...others, ...(file === undefined ? [] : [`--outputFile=${file}`])];
  return spawnSync(process.execPath, [jest, ...args], { stdio: 'inherit' }).status ?? 1;
}

// A path or a pattern is for Jest alone: it finds the tier by itself.
const isChosen = others.some((argument) => !argument.startsWith('-'));
if (isChosen) {
  const args = [...others, ...(output === undefined ? [] : [`--outputFile=${output}`])];
  process.exitCode = spawnSync(process.execPath, [jest, ...args], { stdio: 'inherit' }).status ?? 1;
} else {
  const parts = [sideBySide, alone].map((tiers, index) => {
    const file = output === undefined ? undefined : `${output}.${index}`;
    return { status: run(tiers, file), file };
  });
  if (output !== undefined) writeFileSync(output, JSON.stringify(joined(parts)));
  process.exitCode = parts.some(({ status }) => status !== 0) ? 1 : 0;
}

/** The counts of both parts; a part without results counts as a file that did not load. */
function joined(parts) {
  const sum = { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };
  for (const { file } of parts) {
    const results = read(file);
    for (const name of Object.keys(sum)) sum[name] += results[name];
  }
  return sum;
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 1 };
  }
}
