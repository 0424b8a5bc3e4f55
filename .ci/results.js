// Reads the results that Jest has written.
//   node .ci/results.js failed <first.json>: paths of the test files that failed
//   node .ci/results.js summary <exit code> <first.json> <again.json>: the closing lines; fails if tests did
// The second file has the results of the failed files when they ran once more; it need not exist.
const { readFileSync } = require('node:fs');
const { relative } = require('node:path');

const [what, ...args] = process.argv.slice(2);

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // The build or Jest itself failed, which the exit code says too.
    return undefined;
  }
}

const failedFiles = (results) =>
  (results?.testResults ?? []).filter(({ status }) => status === 'failed').map(({ name }) => relative('.', name));

// Jest counts a test file that doesn't even load as no test at all: here it is a failure like any other.
const failures = (results) => results.numFailedTests + results.numRuntimeErrorTestSuites;

function summarize(status, first, again) {
  let failed = first === undefined ? 0 : failures(again ?? first);
  const passed = (first?.numPassedTests ?? 0) + (again === undefined ? 0 : failures(first) - failed);
  if (failed === 0 && (status !== '0' || passed <= 0)) failed = 1;
  if (failed === 0 && again !== undefined) {
    console.log(`Passed only when they ran once more, which is a defect to hunt: ${failedFiles(first).join(', ')}`);
  }
  console.log(`${Math.max(passed, 0)} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

if (what === 'failed') for (const file of failedFiles(read(args[0]))) console.log(file);
else summarize(args[0], read(args[1]), read(args[2]));
