import { fork } from 'node:child_process';
import { join } from 'node:path';
import { failureTypes } from '../../domain/kernel';
import { McpError } from '../../domain/mcp';
import { importReportSchema, type ImportRequest, type ServedDefinition } from '../../domain/skill';
import { CliError, exitCodes } from '../context';

/** Reads prompts and skills of a server. `file` is the configuration, `project` the folder in which a server is started. */
export type ReadServed = (
  request: ImportRequest,
  place: { readonly file: string; readonly project: string },
) => Promise<readonly ServedDefinition[]>;

const program = join(__dirname, '..', '..', 'worker', 'mcp', 'mcp-import.js');

/** Reads them in a process of its own, which reaches the server as a worker does. */
export const readServed: ReadServed = async (request, { file, project }) => {
  const child = fork(program, [file], { cwd: project, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr = `${stderr}${chunk.toString('utf8')}`.slice(-2_000)));
  const message = await new Promise<unknown>((resolve) => {
    child.once('message', resolve);
    child.once('exit', () => {
      resolve(undefined);
    });
    child.send(request);
  });
  const report = importReportSchema.safeParse(message).data;
  if (report === undefined)
    throw new CliError(exitCodes.unavailable, `The MCP server could not be read.${stderr === '' ? '' : ` ${stderr}`}`);
  if ('definitions' in report) return report.definitions;
  const { type, message: reason } = report.failure;
  if (isMcpFailure(type)) throw new McpError(type, request.server, reason);
  throw new CliError(exitCodes.misused, reason);
};

function isMcpFailure(type: string): type is McpError['type'] {
  return type.startsWith('Mcp.') && Object.hasOwn(failureTypes, type);
}
