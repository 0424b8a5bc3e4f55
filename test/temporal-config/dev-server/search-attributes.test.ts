import { execFileSync } from 'node:child_process';
import { type DevServer, ensureDevServer } from '../../../temporal-config/dev-server/dev-server';
import { connectClient, type ConnectedClient } from '../../../temporal-config/node/connect-client';
import { devServerConnection } from '../../../temporal-config/node/connection';
import {
  checkSearchAttributes,
  registerSearchAttributes,
  type Services,
} from '../../../temporal-config/node/search-attributes-setup';
import { searchAttributes } from '../../../temporal-config/search-attributes';
import { until } from '../../support/until';
import { failureOf } from '../support/failure';
import { scratchFolder } from '../support/scratch';

const all = Object.values(searchAttributes).map(({ name }) => name);
const complete = { registered: all, missing: [], conflicts: [], commands: [] };

let server: DevServer;
let connected: ConnectedClient;

beforeAll(async () => {
  server = await ensureDevServer({ stateDir: scratchFolder() });
  connected = await connectClient(devServerConnection(server));
}, 20 * 60_000);

afterAll(async () => {
  await connected.close();
  await server.release();
});

/** Runs the server's own CLI, so that exactly the command that Baton prints is tested. */
function cli(command: string): void {
  const words = command.replaceAll("'", '').split(' ').slice(1);
  execFileSync(server.binary, [...words, '--address', server.address], { env: { HOME: scratchFolder() } });
}

async function newNamespace(namespace: string): Promise<string> {
  cli(`temporal operator namespace create --namespace ${namespace}`);
  // The parts of the server learn of a new namespace at different times.
  await until(() => checkSearchAttributes(connected.connection, namespace).catch(() => undefined));
  return namespace;
}

/** The server as seen by a user who may not administer it. */
function withoutRights(code: number, details: string): Services {
  const deny = (): Promise<never> => Promise.reject(Object.assign(new Error(details), { code, details, metadata: {} }));
  const { workflowService } = connected.connection;
  return { workflowService, operatorService: { listSearchAttributes: deny, addSearchAttributes: deny } as never };
}

test('can be registered concurrently and repeatedly, and then queried', async () => {
  const { connection, client } = connected;
  const reports = await Promise.all([1, 2, 3].map(() => registerSearchAttributes(connection, 'default')));
  expect(reports).toEqual([complete, complete, complete]);
  expect(await registerSearchAttributes(connection, 'default')).toEqual(complete);
  expect(await client.workflow.count('BatonRun = "none" AND BatonDepth > 1')).toMatchObject({ count: 0 });
});

test('without permission, the exact command is reported, and works', async () => {
  const namespace = await newNamespace('team-a');
  const denied = withoutRights(7, 'Request unauthorized.');
  const report = await registerSearchAttributes(denied, namespace);
  expect(report).toMatchObject({ registered: [], missing: all, reason: 'Request unauthorized.' });
  expect(report.commands).toEqual([
    "temporal operator search-attribute create --namespace 'team-a' --name BatonRun --type Keyword " +
      '--name BatonDelegation --type Keyword --name BatonSkill --type Keyword --name BatonStatus --type Keyword ' +
      '--name BatonPrompt --type Keyword --name BatonDepth --type Int',
  ]);
  report.commands.forEach(cli);
  expect(await checkSearchAttributes(connected.connection, namespace)).toEqual(complete);
  expect(await registerSearchAttributes(withoutRights(12, 'unimplemented'), namespace)).toEqual(complete);
});

test('on Temporal Cloud, the command uses its own tool', async () => {
  const namespace = await newNamespace('team.a1b2c');
  const { commands } = await registerSearchAttributes(withoutRights(12, 'unknown service'), namespace);
  expect(commands).toEqual([
    "tcld namespace search-attributes add --namespace 'team.a1b2c' --search-attribute BatonRun=Keyword " +
      '--search-attribute BatonDelegation=Keyword --search-attribute BatonSkill=Keyword ' +
      '--search-attribute BatonStatus=Keyword --search-attribute BatonPrompt=Keyword --search-attribute BatonDepth=Int',
  ]);
});

test('an attribute that exists with a different type is reported, and the others are registered', async () => {
  const namespace = await newNamespace('team-b');
  cli(`temporal operator search-attribute create --namespace ${namespace} --name BatonSkill --type Text`);
  expect(await registerSearchAttributes(connected.connection, namespace)).toEqual({
    ...complete,
    registered: all.filter((name) => name !== 'BatonSkill'),
    conflicts: ['Search attribute BatonSkill of namespace "team-b" has type Text, but Baton needs Keyword'],
  });
});

test('a namespace that does not exist is an error with a remedy', async () => {
  const failure = await failureOf(registerSearchAttributes(connected.connection, 'nowhere'));
  expect(failure.message).toBe('Namespace "nowhere" does not exist on the Temporal server');
  expect(failure.remedy).toContain('temporal operator namespace create');
});
