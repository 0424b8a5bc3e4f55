import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../support/paths';

/** Wrong imports, each with the rule that must name it. */
const planted: readonly [file: string, code: string, rule: string][] = [
  ['domain/reads-files.ts', `import { readFileSync } from 'node:fs';`, 'domain-is-pure'],
  ['domain/knows-temporal.ts', `import { log } from '@temporalio/workflow';`, 'domain-is-pure'],
  ['domain/knows-store.ts', `import { right } from '../store/right';`, 'domain-is-pure'],
  ['domain/circle-a.ts', `export * from './circle-b';`, 'no-cycles'],
  ['workflows/calls-sdk.ts', `import sdk from '@anthropic-ai/sdk';`, 'workflows-see-only-sandbox-safe-code'],
  ['workflows/opens-files.ts', `import { join } from 'node:path';`, 'workflows-see-only-sandbox-safe-code'],
  [
    'workflows/reads-settings.ts',
    `import { right } from '../temporal-config/node/right';`,
    'workflows-see-only-sandbox-safe-code',
  ],
  [
    'workflows/runs-activities.ts',
    `import { right } from '../activities/interface';`,
    'workflows-see-activities-as-types',
  ],
  [
    'activities/interface.ts',
    `import { right } from '../domain/right'; export { right };`,
    'activity-interface-is-types',
  ],
  ['activities/starts-workflows.ts', `import { right } from '../workflows/right';`, 'activities-never-see-callers'],
  [
    'activities/reads-settings.ts',
    `import { right } from '../temporal-config/node/right';`,
    'activities-see-plain-config',
  ],
  ['store/knows-activities.ts', `import { right } from '../activities/right';`, 'store-sees-only-domain'],
  ['client/runs-workflows.ts', `import { right } from '../workflows/right';`, 'client-sees-messages-and-types'],
  ['client/knows-worker.ts', `import { right } from '../worker/right';`, 'client-and-worker-are-strangers'],
  ['worker/imports-workflows.ts', `import { right } from '../workflows/right';`, 'worker-loads-workflows-by-path'],
  ['temporal-config/node/knows-domain.ts', `import { right } from '../../domain/right';`, 'config-knows-nobody'],
  ['temporal-config/reads-files.ts', `import { join } from 'node:path';`, 'constants-are-sandbox-safe'],
  [
    'testing/scripted-model/knows-domain.ts',
    `import { right } from '../../domain/right';`,
    'scripted-model-is-independent',
  ],
  ['testing/knows-activities.ts', `import { right } from '../activities/right';`, 'testing-uses-what-programs-use'],
  ['cli/loads-the-harness.ts', `import { right } from '../testing/right';`, 'cli-sees-only-the-scripted-model'],
  ['client/knows-tests.ts', `import { right } from '../test/right';`, 'nobody-imports-tests'],
];
const folders = [
  'domain',
  'workflows',
  'activities',
  'store',
  'client',
  'worker',
  'temporal-config',
  'testing',
  'cli',
  'test',
];

interface Report {
  readonly summary: { readonly violations: readonly { from: string; rule: { name: string } }[] };
}

async function cruise(cwd: string): Promise<string[]> {
  const cruiser = join(projectRoot, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');
  const args = [cruiser, '--config', '.dependency-cruiser.js', '--output-type', 'json', ...folders];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
  return (JSON.parse(stdout) as Report).summary.violations.map(({ from, rule }) => `${from}: ${rule.name}`);
}

describe('import rules', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-imports-'));
    for (const file of ['.dependency-cruiser.js', 'tsconfig.json'])
      await cp(join(projectRoot, file), join(folder, file));
    await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
    for (const inner of [...folders, 'temporal-config/node']) {
      await mkdir(join(folder, inner), { recursive: true });
      await writeFile(join(folder, inner, 'right.ts'), `export const right = 1;\n`);
    }
    await writeFile(join(folder, 'domain', 'circle-b.ts'), `export * from './circle-a';\n`);
    for (const [file, code] of planted) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(
        join(folder, file),
        `${code}\nexport const uses = () => [right, sdk, join, log, readFileSync];\n`,
      );
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('name every wrong import, and no right one', async () => {
    const named = await cruise(folder);
    expect(planted.map(([file, , rule]) => `${file}: ${rule}`).filter((wrong) => !named.includes(wrong))).toEqual([]);
    expect(named.filter((violation) => violation.includes('right.ts:'))).toEqual([]);
  });
});
