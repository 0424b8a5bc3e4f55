import { isGrpcServiceError } from '@temporalio/client';
import { Command } from 'commander';
import {
  type Deployment,
  type DeploymentVersion,
  readDeployment,
  setCurrentVersion,
} from '../../client/version/versions';
import { type CliContext, CliError, exitCodes, type OpenConnection } from '../context';
import { columns } from '../screen/table';

const examples = `
Workers of a deployment have BATON_DEPLOYMENT set. A run stays on the version that it began with; it moves to the current one
when its root agent hands off. Step by step: docs/versioning.md

Examples:
  $ BATON_DEPLOYMENT=agents baton versions
  $ BATON_DEPLOYMENT=agents baton versions set-current x7k2q
`;

/** `baton versions`: the versions of a worker deployment. */
export function versionsCommand(context: CliContext): Command {
  const versions = new Command('versions')
    .description('list the versions of a worker deployment, and which runs are on which')
    .option('--deployment <name>', 'the deployment (default: $BATON_DEPLOYMENT)')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async ({ deployment, json }: VersionOptions) => {
      const name = deploymentName(context, deployment);
      const { taskQueue } = context.settings();
      const read = await onServer(context, name, ({ client }) => readDeployment(client, name, taskQueue));
      if (json === true) context.terminal.printJson(read);
      else context.terminal.print(versionsText(read));
    });
  versions
    .command('set-current <build>')
    .description('let new runs begin with a version, and runs that hand off continue with it; also the way back')
    .option('--deployment <name>', 'the deployment (default: $BATON_DEPLOYMENT)')
    .action(async (build: string, _: unknown, command: Command) => {
      const { deployment } = command.optsWithGlobals<VersionOptions>();
      const name = deploymentName(context, deployment);
      const previous = await onServer(context, name, ({ client }) => setCurrentVersion(client, name, build));
      const before = previous === undefined ? '' : ` Before, it was ${previous}.`;
      context.terminal.print(`${build} is the current version of ${name}.${before}`);
    });
  return versions;
}

interface VersionOptions {
  readonly deployment?: string;
  readonly json?: true;
}

function deploymentName({ settings }: CliContext, given: string | undefined): string {
  const name = given ?? settings().deployment;
  if (name !== undefined) return name;
  const remedy = 'Set BATON_DEPLOYMENT as for the workers, or pass --deployment. See docs/versioning.md.';
  throw new CliError(exitCodes.misused, 'Which deployment?', remedy);
}

const notFound = 5;
const failedPrecondition = 9;
const unimplemented = 12;

/** Explains the errors that a server has for deployments. */
async function onServer<T>(context: CliContext, name: string, ask: (on: OpenConnection) => Promise<T>): Promise<T> {
  const connected = await context.connect();
  try {
    return await ask(connected);
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    const code: number = error.code;
    if (code === unimplemented)
      throw new CliError(
        exitCodes.unavailable,
        'The server has no worker deployments.',
        'It needs Temporal 1.29.1 or newer.',
      );
    if (code === notFound || code === failedPrecondition)
      throw new CliError(
        exitCodes.failed,
        `${name}: ${error.details}`,
        `Start a worker of that version with BATON_DEPLOYMENT=${name}. A version exists once a worker has polled.`,
      );
    throw error;
  } finally {
    await connected.close();
  }
}

/** Formats the versions as a table, with what to do next. */
export function versionsText({ name, versions }: Deployment): string {
  const rows = versions.map(({ buildId, status, ramp, open, workers }) => [
    buildId,
    ramp === null ? status : `${status} ${ramp} %`,
    String(open),
    String(workers),
  ]);
  const advice = adviceFor(versions);
  return [columns([['VERSION', 'STATUS', 'OPEN', 'WORKERS'], ...rows]), ...(advice.length > 0 ? ['', ...advice] : [])]
    .join('\n')
    .replace(/^/, `deployment ${name}\n`);
}

/** What to do next: choose a version, start what is missing, stop what is no longer needed. */
export function adviceFor(versions: readonly DeploymentVersion[]): string[] {
  const current = versions.find(({ status }) => status === 'current');
  const [newest] = versions;
  const advice: string[] = [];
  if (current === undefined && newest !== undefined)
    advice.push(`No version is current, so new runs wait. Choose one: baton versions set-current ${newest.buildId}`);
  else if (newest?.status === 'inactive' && newest.workers > 0)
    advice.push(
      `${newest.buildId} is ready. To let new runs begin with it: baton versions set-current ${newest.buildId}`,
    );
  for (const { buildId, status, open, workers } of versions) {
    if (workers === 0 && (open > 0 || status === 'current'))
      advice.push(
        `No worker of ${buildId} polls, and ${status === 'current' ? 'new runs wait' : 'its runs wait'}. Start one.`,
      );
    else if (workers > 0 && open === 0 && (status === 'draining' || status === 'drained'))
      advice.push(`No open workflow needs ${buildId}: its workers can be stopped.`);
  }
  return advice;
}
