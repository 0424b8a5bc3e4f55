// Who may import whom. The folder a file stands in says what it may touch; docs/decisions/ says why.
const exceptTypes = { dependencyTypesNot: ['type-only'] };
const error = (name, from, to) => ({ name, severity: 'error', from, to });

module.exports = {
  forbidden: [
    error('no-cycles', {}, { circular: true }),
    error(
      'domain-is-pure',
      { path: '^domain/' },
      { pathNot: ['^domain/', 'node_modules/(zod|@noble/hashes|canonicalize|saxes)/'] },
    ),
    error(
      'workflows-see-only-sandbox-safe-code',
      { path: '^workflows/' },
      {
        pathNot: [
          '^workflows/',
          '^domain/',
          '^temporal-config/[^/]+\\.ts$',
          '^activities/interface\\.ts$',
          'node_modules/(@temporalio/(workflow|common)|zod)/',
        ],
      },
    ),
    error('workflows-see-activities-as-types', { path: '^workflows/' }, { path: '^activities/', ...exceptTypes }),
    error('activity-interface-is-types', { path: '^activities/interface\\.ts$' }, exceptTypes),
    error(
      'activities-never-see-callers',
      { path: '^activities/' },
      { path: '^(workflows|worker|client|testing|test)/' },
    ),
    error('activities-see-plain-config', { path: '^activities/' }, { path: '^temporal-config/(node|server)/' }),
    error(
      'store-sees-only-domain',
      { path: '^store/' },
      { path: '^(workflows|activities|worker|client|temporal-config|testing)/' },
    ),
    error(
      'client-sees-messages-and-types',
      { path: '^client/' },
      { path: '^workflows/', pathNot: '^workflows/messages\\.ts$', ...exceptTypes },
    ),
    error('client-and-worker-are-strangers', { path: '^client/' }, { path: '^(activities|worker)/' }),
    error('worker-loads-workflows-by-path', { path: '^worker/' }, { path: '^(workflows|client)/', ...exceptTypes }),
    error(
      'config-knows-nobody',
      { path: '^temporal-config/' },
      { path: '^(domain|workflows|activities|worker|client|store)/' },
    ),
    error(
      'constants-are-sandbox-safe',
      { path: '^temporal-config/[^/]+\\.ts$' },
      { pathNot: ['^temporal-config/[^/]+\\.ts$', 'node_modules/@temporalio/common/'] },
    ),
    error(
      'scripted-model-is-independent',
      { path: '^testing/scripted-model/' },
      { path: '^(?!testing/scripted-model/|node_modules/)[^/]+/' },
    ),
    error(
      'testing-uses-what-programs-use',
      { path: '^testing/' },
      { path: '^(workflows|activities|definitions|cli)/', pathNot: '^workflows/messages\\.ts$' },
    ),
    // Commands must start quickly, and a harness loads a worker.
    error('cli-sees-only-the-scripted-model', { path: '^cli/' }, { path: '^testing/(?!scripted-model/)' }),
    error(
      'examples-see-what-is-published',
      { path: '^examples/' },
      {
        pathNot: [
          '^examples/',
          '^(client|worker|testing)/index\\.ts$',
          '^workflows/extend\\.ts$',
          '^domain/',
          'node_modules/',
          '^(node:test|assert/strict)$',
        ],
      },
    ),
    error('nobody-imports-tests', { pathNot: '^(test|bench|examples|scripts)/' }, { path: '^(test|bench|examples)/' }),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};
