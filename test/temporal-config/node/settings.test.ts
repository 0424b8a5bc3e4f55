import { inspect } from 'node:util';
import { shownAddress } from '../../../store/address';
import { readSettings } from '../../../temporal-config/node/settings';
import { failureOf } from '../support/failure';

const home = { HOME: '/home/somebody' };

test('an empty environment results in defaults inside the project and the user cache', () => {
  expect(readSettings(home, '/project')).toEqual({
    stateDir: '/project/.baton/state',
    store: { folder: '/project/.baton/state/store', shown: '/project/.baton/state/store' },
    cacheDir: '/home/somebody/.cache/baton',
    taskQueue: 'baton',
    workspace: {},
    commands: { scratchDir: '/project/.baton/state/scratch', limits: {} },
    slots: { model: 100, tool: 100, control: 100, workflow: 40 },
    pollers: {},
    hasApiKey: false,
    logLevel: 'WARN',
    traceContents: false,
    shutdownGraceSeconds: 20,
  });
});

test('every variable is used, with folders relative to the working directory', () => {
  const env = {
    ...home,
    BATON_STATE_DIR: 'state',
    BATON_STORE_DIR: '/store',
    BATON_CACHE_DIR: '../cache',
    BATON_TASK_QUEUE: 'team/agents',
    BATON_MODEL: 'claude-opus-4-1',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000',
    BATON_MAX_TOKENS: '4096',
    BATON_WINDOW: '200000',
    BATON_STICKY_TIMEOUT_MS: '500',
    BATON_CACHED_WORKFLOWS: '0',
    BATON_WORKSPACE_MAX_ENTRIES: '60000',
    BATON_WORKSPACE_MAX_BYTES: '2GiB',
    BATON_WORKSPACE_MAX_FILE_BYTES: '5000',
    BATON_WORKSPACE_INCLUDE: '.env.test, certs/ca.pem,',
    BATON_SANDBOX: 'docker:node:22',
    BATON_SCRATCH_DIR: '../scratch',
    BATON_COMMAND_ENV: 'NPM_TOKEN, CI',
    BATON_COMMAND_PATHS: '/opt/tools',
    BATON_COMMAND_MEMORY: '4GiB',
    BATON_COMMAND_SECONDS: '3600',
    BATON_LOG_LEVEL: 'INFO',
    BATON_MODEL_SLOTS: '300',
    BATON_TOOL_SLOTS: '20',
    BATON_CONTROL_SLOTS: '30',
    BATON_WORKFLOW_SLOTS: '2',
    BATON_WORKER_ROLES: 'models, tools',
    BATON_WORKFLOW_POLLERS: '5',
    BATON_ACTIVITY_POLLERS: '1',
    BATON_WORKFLOW_THREADS: '2',
    BATON_MODEL_LIMITS: 'limits.yaml',
    ANTHROPIC_API_KEY: 'sk-secret',
    BATON_OPENAI_BASE_URL: 'http://127.0.0.1:4001/v1',
    OLLAMA_BASE_URL: 'http://127.0.0.1:4002/v1',
    BATON_MODELS: 'models.yaml',
    BATON_APPROVE: 'approve.yaml',
    BATON_MCP_CONFIG: 'mcp.json',
    BATON_TRACE_CONTENTS: 'true',
  };
  expect(readSettings(env, '/project')).toEqual({
    stateDir: '/project/state',
    store: { folder: '/store', shown: '/store' },
    cacheDir: '/cache',
    taskQueue: 'team/agents',
    openAiBaseUrl: 'http://127.0.0.1:4001/v1',
    ollamaBaseUrl: 'http://127.0.0.1:4002/v1',
    modelsFile: 'models.yaml',
    approveFile: 'approve.yaml',
    mcpConfig: '/project/mcp.json',
    traceContents: true,
    commands: {
      sandbox: 'docker:node:22',
      scratchDir: '/scratch',
      env: ['NPM_TOKEN', 'CI'],
      readOnly: ['/opt/tools'],
      limits: { memoryBytes: 4 * 1024 ** 3, maxSeconds: 3_600 },
    },
    slots: { model: 300, tool: 20, control: 30, workflow: 2 },
    roles: ['models', 'tools'],
    pollers: { workflow: 5, activity: 1 },
    workflowThreads: 2,
    modelLimits: 'limits.yaml',
    shutdownGraceSeconds: 20,
    model: 'claude-opus-4-1',
    modelBaseUrl: 'http://127.0.0.1:4000',
    maxTokens: 4096,
    window: 200_000,
    stickyTimeoutMs: 500,
    cachedWorkflows: 0,
    workspace: {
      maxEntries: 60_000,
      maxTotalBytes: 2 * 1024 ** 3,
      maxFileBytes: 5_000,
      include: ['.env.test', 'certs/ca.pem'],
    },
    hasApiKey: true,
    logLevel: 'INFO',
  });
});

test('the store is in the state folder by default, and the cache follows the conventions of the system', () => {
  const settings = readSettings({ ...home, BATON_STATE_DIR: '/state', XDG_CACHE_HOME: '/xdg' }, '/project');
  expect(settings).toMatchObject({ store: { folder: '/state/store' }, cacheDir: '/xdg/baton' });
});

test('BATON_STORE wins over BATON_STORE_DIR, and a folder in it is relative to the working directory', () => {
  const settings = readSettings({ ...home, BATON_STORE: 'file:./shared', BATON_STORE_DIR: '/other' }, '/project');
  expect(settings.store).toMatchObject({ folder: '/project/shared', address: 'file:/project/shared' });
});

test.each([
  ['postgres://me:hidden@db:5433/baton?schema=b', 'postgres://…@db:5433/baton?schema=b'],
  ['postgres://me:hid/den@db/baton', 'postgres://…@db/baton'],
  ['postgres://db/baton?user=me&password=hidden', 'postgres://db/baton?user=me&password=…'],
  ['s3://b/p?journal=postgres://me:hidden@db/baton', 's3://b/p?journal=postgres://…@db/baton'],
  ['s3://b/p?journal=postgres%3A%2F%2Fme%3Ahidden%40db%2Fx', 's3://b/p?journal=postgres%3A%2F%2F…%40db%2Fx'],
])('the password in %s is used, and never printed', (address, shown) => {
  const settings = readSettings({ ...home, BATON_STORE: address }, '/project');
  expect(settings.store).toMatchObject({ address, shown, folder: undefined });
  expect(shownAddress(address)).toBe(shown);
  for (const printed of [inspect(settings, { depth: 9 }), JSON.stringify(settings)]) expect(printed).not.toMatch(/hid/);
});

test.each(['redis://me:hidden@db/1', 'postgres:', 'file:', 'somewhere'])(
  'a store at %s is refused',
  async (address) => {
    const failure = await failureOf(() => readSettings({ ...home, BATON_STORE: address }, '/project'));
    expect(failure).toMatchObject({ setting: 'BATON_STORE' });
    expect(failure.message).not.toMatch(/hidden/);
  },
);

test('the API key never appears in the settings', () => {
  const settings = readSettings({ ...home, ANTHROPIC_API_KEY: 'sk-secret' });
  expect(inspect(settings) + JSON.stringify(settings)).not.toContain('sk-secret');
});

test('an empty variable counts as unset', () => {
  const settings = readSettings({ ...home, BATON_TASK_QUEUE: '', BATON_WINDOW: '', ANTHROPIC_API_KEY: '' });
  expect(settings).toMatchObject({ taskQueue: 'baton', hasApiKey: false });
  expect(settings.window).toBeUndefined();
});

test.each([
  ['BATON_MAX_TOKENS', 'many', 'a positive integer'],
  ['BATON_MAX_TOKENS', '0', 'a positive integer'],
  ['BATON_WINDOW', '1e6', 'a positive integer'],
  ['BATON_STICKY_TIMEOUT_MS', '-5', 'a positive integer'],
  ['BATON_CACHED_WORKFLOWS', '1', '0 or an integer from 2'],
  ['BATON_WORKSPACE_MAX_ENTRIES', '2GiB', 'a positive integer'],
  ['BATON_WORKSPACE_MAX_BYTES', '2GB', 'KiB, MiB or GiB'],
  ['BATON_WORKSPACE_MAX_FILE_BYTES', '0', 'a positive integer'],
  ['BATON_TASK_QUEUE', 'two words', 'letters, digits'],
  ['BATON_MODEL', 'model; rm', 'letters, digits'],
  ['ANTHROPIC_BASE_URL', 'localhost:4000', 'an http or https address'],
  ['ANTHROPIC_BASE_URL', 'file:///etc/passwd', 'an http or https address'],
  ['BATON_STATE_DIR', 'a\0b', 'a folder'],
  ['BATON_WORKER_ROLES', 'models,cooks', 'agents, models, tools, control'],
  ['BATON_WORKER_ROLES', ',', 'agents, models, tools, control'],
  ['BATON_WORKFLOW_POLLERS', '1', 'an integer from 2'],
])('%s=%j is refused with its name and what is allowed', async (name, value, allowed) => {
  const failure = await failureOf(() => readSettings({ ...home, [name]: value }));
  expect(failure).toMatchObject({ setting: name });
  expect(failure.message).toContain(name);
  expect(failure.remedy).toContain(allowed);
});

test('a password in a URL is refused without being repeated', async () => {
  const failure = await failureOf(() => readSettings({ ...home, ANTHROPIC_BASE_URL: 'https://me:hunter2@proxy' }));
  expect(failure.message).toContain('proxy');
  expect(failure.message).not.toContain('hunter2');
});
