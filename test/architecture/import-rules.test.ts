import { join } from 'node:path';
import { projectRoot } from '../support/paths';
import { plantProject } from './planted-project';

/** An import: the file that contains it, and what it imports. */
type Import = readonly [from: string, to: string];

/** Imports that a rule must report, by the name of the rule. */
const forbidden: Readonly<Record<string, readonly Import[]>> = {
  'no-cycles': [['domain/kernel/cycle-a.ts', './cycle-b']],
  'tests-are-not-imported': [
    ['client/tested.ts', '../test/file'],
    ['worker/measured.ts', '../bench/file'],
    ['store/scripted.ts', '../scripts/file'],
  ],
  'model-sdk-only-in-its-adapter': [['activities/agent/calls-sdk.ts', '@anthropic-ai/sdk']],
  'domain-is-pure': [
    ['domain/kernel/reads-files.ts', 'node:fs'],
    ['domain/kernel/uses-temporal.ts', '@temporalio/workflow'],
    ['domain/kernel/uses-store.ts', '../../store/file'],
  ],
  'domain-modules-are-listed': [['domain/unlisted/new-file.ts', '../kernel']],
  'through-the-index': [
    ['domain/session/too-deep.ts', '../kernel/file'],
    ['client/too-deep.ts', '../domain/kernel/file'],
    ['activities/agent/too-deep.ts', '../../domain/delegation/prepare/file'],
  ],
  'not-through-its-own-index': [['domain/kernel/around.ts', '.']],
  'host-only-modules': [
    ['workflows/composes.ts', '../domain/prompt'],
    ['workflows/loads-skills.ts', '../domain/skill'],
    ['workflows/reads-transcripts.ts', '../domain/transcript'],
    ['workflows/prepares.ts', '../domain/delegation/prepare'],
    ['domain/delegation/composes.ts', '../prompt'],
    ['domain/relay/prepares.ts', './prepare'],
  ],
  'workflows-import-only-sandbox-safe-code': [
    ['workflows/calls-sdk.ts', '@anthropic-ai/sdk'],
    ['workflows/opens-files.ts', 'node:path'],
    ['workflows/reads-settings.ts', '../temporal-config/node/file'],
    ['workflows/uses-store.ts', '../store/file'],
  ],
  'workflows-import-activities-as-types': [['workflows/runs-activities.ts', '../activities/interface']],
  'activity-interface-is-types-only': [['activities/interface.ts', '../domain/kernel']],
  'activities-import-no-callers': [
    ['activities/starts-workflows.ts', '../workflows/file'],
    ['activities/reads-settings.ts', '../temporal-config/node/file'],
    ['activities/reads-definitions.ts', '../definitions/file'],
    ['activities/uses-testing.ts', '../testing/scripted-model/file'],
  ],
  'encryption-imports-only-domain': [['encryption/uses-store.ts', '../store/file']],
  'store-imports-only-domain': [['store/uses-activities.ts', '../activities/file']],
  'definitions-import-only-domain': [['definitions/uses-store.ts', '../store/file']],
  'worker-loads-workflows-by-path': [
    ['worker/imports-workflows.ts', '../workflows/file'],
    ['worker/imports-client.ts', '../client/file'],
  ],
  'client-imports-no-program': [
    ['client/imports-cli.ts', '../cli/file'],
    ['client/imports-worker.ts', '../worker/file'],
    ['client/imports-definitions.ts', '../definitions/file'],
  ],
  'cli-starts-workers-as-processes': [
    ['cli/imports-worker.ts', '../worker/file'],
    ['cli/imports-activities.ts', '../activities/file'],
    ['cli/imports-harness.ts', '../testing/file'],
  ],
  'callers-import-messages-and-types': [
    ['client/runs-workflows.ts', '../workflows/file'],
    ['cli/runs-workflows.ts', '../workflows/file'],
  ],
  'callers-load-no-native-code': [
    ['client/runs-worker.ts', '@temporalio/worker'],
    ['cli/connects-worker.ts', '../temporal-config/node/connect-worker'],
  ],
  'page-imports-types': [
    ['page/reads-events.ts', '../client/file'],
    ['page/uses-kernel.ts', '../domain/kernel'],
  ],
  'page-is-served-as-a-file': [['cli/draws-pages.ts', '../page/file']],
  'config-imports-no-other-layer': [['temporal-config/node/uses-domain.ts', '../../domain/kernel']],
  'constants-are-sandbox-safe': [
    ['temporal-config/reads-files.ts', 'node:path'],
    ['temporal-config/uses-node.ts', './node/file'],
  ],
  'testing-imports-what-programs-import': [
    ['testing/imports-cli.ts', '../cli/file'],
    ['testing/imports-activities.ts', '../activities/file'],
    ['testing/imports-workflows.ts', '../workflows/file'],
  ],
  'scripted-model-is-standalone': [['testing/scripted-model/uses-domain.ts', '../../domain/kernel']],
  'examples-import-the-published-entries': [['examples/too-deep.ts', '../client/file']],
};

/** Modules of domain/ in dependency order. */
const order = [
  ...[
    'kernel',
    'store',
    'workspace',
    'tool',
    'mcp',
    'command',
    'model',
    'limit',
    'session',
    'budget',
    'operator',
    'agent',
    'handoff',
  ],
  ...['prompt', 'skill', 'transcript', 'delegation', 'relay'],
];

/** An import of the next module. The last module has none, so it imports one that is not in the list. */
const againstOrder = order.map((module, index): [string, Import] => [
  `domain-${module}-imports-earlier-modules`,
  [`domain/${module}/against-order.ts`, `../${order[index + 1] ?? 'unlisted'}`],
]);

/** Imports that no rule may report. A `type` before the path makes it a type import. */
const allowed: readonly Import[] = [
  // The other half of a cycle, which is reported once.
  ['domain/kernel/cycle-b.ts', './cycle-a'],
  ['domain/relay/uses-kernel.ts', '../kernel'],
  ['domain/relay/prepare/uses-other.ts', '../../delegation/prepare'],
  ['domain/relay/prepare/composes.ts', '../../prompt'],
  ['domain/relay/uses-type.ts', 'type ../prompt'],
  ['domain/kernel/other-file.ts', './file'],
  ['workflows/uses-domain.ts', '../domain/agent'],
  ['workflows/uses-constants.ts', '../temporal-config/file'],
  ['workflows/uses-prompt-type.ts', 'type ../domain/prompt'],
  ['workflows/uses-activity-types.ts', 'type ../activities/interface'],
  ['activities/model/adapter.ts', '@anthropic-ai/sdk'],
  ['activities/agent/composes.ts', '../../domain/prompt'],
  ['worker/uses-definitions.ts', '../definitions/file'],
  ['client/sends-messages.ts', '../workflows/messages'],
  ['client/uses-result-type.ts', 'type ../workflows/file'],
  ['cli/uses-client.ts', '../client/file'],
  ['cli/plays.ts', '../testing/scripted-model/file'],
  ['testing/harness.ts', '../worker/file'],
  ['temporal-config/node/encrypts.ts', '../../encryption/file'],
  ['test/goes-deeper.ts', '../domain/kernel/file'],
  ['examples/uses-entry.ts', '../client/index'],
];

const folders = [
  ...['activities', 'bench', 'cli', 'client', 'definitions', 'domain', 'encryption', 'examples', 'page', 'scripts'],
  ...['store', 'temporal-config', 'test', 'testing', 'worker', 'workflows'],
];

/** Files to import. They contain no import, so nothing is wrong with them. */
const targets = [
  ...folders.map((folder) => `${folder}/file.ts`).filter((path) => path !== 'domain/file.ts'),
  ...[...order, 'unlisted'].flatMap((module) => [`domain/${module}/file.ts`, `domain/${module}/index.ts`]),
  ...['delegation', 'relay'].flatMap((module) => [
    `domain/${module}/prepare/file.ts`,
    `domain/${module}/prepare/index.ts`,
  ]),
  ...['client/index.ts', 'workflows/messages.ts', 'temporal-config/node/file.ts'],
  ...['temporal-config/node/connect-worker.ts', 'testing/scripted-model/file.ts'],
];

function statement(path: string): string {
  return path.startsWith('type ')
    ? `import type { value } from '${path.slice('type '.length)}';\nexport type Value = typeof value;\n`
    : `import * as imported from '${path}';\nexport const value = imported;\n`;
}

interface Report {
  readonly summary: { readonly violations: readonly { readonly from: string; readonly rule: { name: string } }[] };
}

describe('import rules', () => {
  const planted: readonly (readonly [rule: string, planted: Import])[] = [
    ...Object.entries(forbidden).flatMap(([rule, imports]) => imports.map((each): [string, Import] => [rule, each])),
    ...againstOrder,
  ];
  const violation = (rule: string, from: string): string => `${from}: ${rule}`;
  let reported: readonly string[] = [];

  beforeAll(async () => {
    const project = await plantProject(['.dependency-cruiser.js', 'tsconfig.json'], {
      ...Object.fromEntries(targets.map((path) => [path, 'export const value = 1;\n'])),
      ...Object.fromEntries(
        [...planted.map(([, each]) => each), ...allowed].map(([from, to]) => [from, statement(to)]),
      ),
    });
    const program = 'dependency-cruiser/bin/dependency-cruise.mjs';
    const args = ['--config', '.dependency-cruiser.js', '--output-type', 'json', ...folders];
    const report = (await project.run(program, ...args)) as Report;
    await project.remove();
    reported = report.summary.violations.map(({ from, rule }) => violation(rule.name, from));
  });

  test('report every forbidden import', () => {
    const expected = planted.map(([rule, [from]]) => violation(rule, from));
    expect(expected.filter((each) => !reported.includes(each))).toEqual([]);
  });

  test('report no allowed import', () => {
    const correct = [...allowed.map(([from]) => from), ...targets];
    expect(reported.filter((each) => correct.some((from) => each.startsWith(`${from}:`)))).toEqual([]);
  });

  test('are all broken once on purpose', () => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- a path that is known only here
    const config = require(join(projectRoot, '.dependency-cruiser.js')) as { forbidden: { name: string }[] };
    const tried = new Set(planted.map(([rule]) => rule));
    expect(config.forbidden.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
  });
});
