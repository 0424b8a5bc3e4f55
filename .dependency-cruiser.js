// Which files may import which. A file's folder decides, so read this together with the layout in CONTRIBUTING.md.
// test/architecture/import-rules.test.ts adds forbidden imports of every kind and expects each to be reported.

/** Modules of domain/ in dependency order. Each may import the modules before it, types included. */
const domainModules = [
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
  'prompt',
  'skill',
  'transcript',
  'delegation',
  'relay',
];

/** Modules of domain/ that the workflow sandbox never loads. Their types are free to use. */
const hostOnlyModules = '^domain/((prompt|skill|transcript)|(delegation|relay)/prepare|tool/approval)/';

/** Module indexes of domain/. `output`, `prepare` and `approval` are parts of a module that have an index of their own. */
const moduleIndexes = '^domain/[^/]+/((output|prepare|approval)/)?index\\.ts$';

const ourFolders =
  '^(activities|bench|cli|client|definitions|domain|encryption|examples|page|scripts|store|temporal-config|test|testing|worker|workflows)/';

/** Constants that may run in the sandbox. The folders below temporal-config/ contain code for Node.js. */
const constants = '^temporal-config/[^/]+\\.ts$';

/** Added to `to` by rules that allow type imports. */
const exceptTypes = { dependencyTypesNot: ['type-only'] };

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** Forbids imports from all of our folders that are not listed. Packages are not affected. */
const allowOnly = (name, comment, from, allowed) =>
  forbid(name, comment, { path: from }, { path: ourFolders, pathNot: [from, ...allowed] });

const everywhere = [
  forbid('no-cycles', 'Files that need each other belong together, or need a third one.', {}, { circular: true }),
  forbid(
    'tests-are-not-imported',
    'What is shipped does not depend on tests, benchmarks, examples or scripts.',
    { pathNot: '^(test|bench|examples|scripts)/' },
    { path: '^(test|bench|examples|scripts)/' },
  ),
  forbid(
    'model-sdk-only-in-its-adapter',
    'Everything else uses ModelPort, so that another provider needs only another adapter.',
    { path: ourFolders, pathNot: '^(activities/model|test|bench/peers/systems)/' },
    { path: 'node_modules/(@anthropic-ai|@ai-sdk)/', ...exceptTypes },
  ),
];

const domain = [
  forbid(
    'domain-is-pure',
    'Rules and formats depend on no other folder, on no Temporal package and on nothing of Node.js.',
    { path: '^domain/' },
    { pathNot: ['^domain/', 'node_modules/(zod|@noble/hashes|canonicalize|saxes|re2js)/'] },
  ),
  forbid(
    'domain-modules-are-listed',
    'A new module gets its place in the dependency order, in .dependency-cruiser.js.',
    { path: '^domain/', pathNot: `^domain/(${domainModules.join('|')})/` },
    {},
  ),
  ...domainModules.map((module, index) =>
    forbid(
      `domain-${module}-imports-earlier-modules`,
      'Modules of domain/ import only modules before them in the dependency order, types included.',
      { path: `^domain/${module}/` },
      { path: '^domain/', pathNot: `^domain/(${domainModules.slice(0, index + 1).join('|')})/` },
    ),
  ),
  forbid(
    'through-the-index',
    'A module of domain/ is imported by its index, which exports what others use. Tests and benchmarks may go deeper.',
    { path: '^([a-z-]+/[^/]+)', pathNot: '^(test|bench)/' },
    { path: '^domain/', pathNot: ['^$1/', moduleIndexes] },
  ),
  forbid(
    'not-through-its-own-index',
    'Files of a module import each other directly: the index would load the whole module, or close a cycle.',
    { path: '^(domain/[^/]+)/', pathNot: '^domain/[^/]+/(output|prepare)/' },
    { path: '^$1/index\\.ts$' },
  ),
  forbid(
    'host-only-modules',
    'Composing prompts, skills and transcripts happens in activities. In the sandbox it would only cost memory.',
    { path: '^workflows/|^domain/', pathNot: hostOnlyModules },
    { path: hostOnlyModules, ...exceptTypes },
  ),
];

const sandbox = [
  forbid(
    'workflows-import-only-sandbox-safe-code',
    'Workflow code is replayed, so it must not reach the clock, the network or the file system.',
    { path: '^workflows/' },
    {
      pathNot: [
        '^(workflows|domain)/',
        constants,
        '^activities/interface\\.ts$',
        'node_modules/(@temporalio/(workflow|common)|zod)/',
        // Names that the bundler resolves: the workflows of a team, and Baton's.
        '^baton-joined-',
      ],
    },
  ),
  forbid(
    'workflows-import-activities-as-types',
    'Workflows call activities by name. The code would be bundled into the sandbox.',
    { path: '^workflows/' },
    { path: '^activities/', ...exceptTypes },
  ),
  forbid(
    'activity-interface-is-types-only',
    'Workflows import this file, so it must not load anything.',
    { path: '^activities/interface\\.ts$' },
    exceptTypes,
  ),
];

const layers = [
  allowOnly(
    'activities-import-no-callers',
    'Activities get their ports and settings passed in: they do not know who runs them.',
    '^activities/',
    ['^(store|domain)/', constants],
  ),
  allowOnly('store-imports-only-domain', 'A store driver implements the port in domain/store.', '^store/', [
    '^(domain|encryption)/',
  ]),
  allowOnly(
    'encryption-imports-only-domain',
    'Connections and stores both encrypt, so this folder depends on neither.',
    '^encryption/',
    ['^domain/'],
  ),
  allowOnly(
    'definitions-import-only-domain',
    'Worker and command line both read definition files, so this folder depends on neither.',
    '^definitions/',
    ['^domain/'],
  ),
  allowOnly(
    'worker-loads-workflows-by-path',
    'The worker bundles workflows from a path. Importing them would run them outside of the sandbox.',
    '^worker/',
    ['^(activities|store|definitions|domain|encryption|temporal-config)/'],
  ),
  allowOnly(
    'client-imports-no-program',
    'The library can be used without the command line and without a worker.',
    '^client/',
    ['^(store|domain|encryption|temporal-config|workflows)/'],
  ),
  allowOnly(
    'cli-starts-workers-as-processes',
    'The command line uses the library. It imports no activities, and starts workers as processes of their own.',
    '^cli/',
    [
      '^(client|store|definitions|domain|encryption|temporal-config|workflows)/',
      '^testing/scripted-model/',
      '^page/protocol\\.ts$',
    ],
  ),
  forbid(
    'callers-import-messages-and-types',
    'Clients need the messages of workflows and the types of their results, never their code.',
    { path: '^(client|cli)/' },
    { path: '^workflows/', pathNot: '^workflows/messages\\.ts$', ...exceptTypes },
  ),
  forbid(
    'callers-load-no-native-code',
    'Commands must start fast, and the library must run where the native part of the worker does not exist.',
    { path: '^(client|cli)/' },
    {
      path: '(node_modules/@temporalio/(worker|core-bridge|testing)|^temporal-config/node/connect-worker\\.ts)',
      ...exceptTypes,
    },
  ),
  forbid(
    'page-imports-types',
    'The page runs in a browser. It knows the shapes of the data, and nothing that makes them.',
    { path: '^page/' },
    { path: ourFolders, pathNot: '^page/', ...exceptTypes },
  ),
  forbid(
    'page-is-served-as-a-file',
    'Others know the requests of the page, never its code.',
    { path: ourFolders, pathNot: '^(page|test|scripts)/' },
    { path: '^page/', ...exceptTypes },
  ),
  allowOnly(
    'config-imports-no-other-layer',
    'All layers read the configuration. Connections encrypt what they send.',
    '^temporal-config/',
    ['^encryption/'],
  ),
  forbid(
    'constants-are-sandbox-safe',
    'Workflows import these files.',
    { path: constants },
    { pathNot: [constants, 'node_modules/@temporalio/common/'] },
  ),
  allowOnly(
    'testing-imports-what-programs-import',
    'Projects test their own tools with this entry, so it uses what they can use.',
    '^testing/',
    ['^(client|domain|encryption|store|temporal-config|worker)/', '^workflows/messages\\.ts$'],
  ),
  allowOnly(
    'scripted-model-is-standalone',
    'It runs as a process of its own, and speaks the API of a provider as others see it.',
    '^testing/scripted-model/',
    [],
  ),
  allowOnly('examples-import-the-published-entries', 'Users have nothing else.', '^examples/', [
    '^(client|worker|testing)/index\\.ts$',
    '^workflows/extend\\.ts$',
  ]),
];

module.exports = {
  forbidden: [...everywhere, ...domain, ...sandbox, ...layers],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};
