import { Command, InvalidArgumentError } from 'commander';
import type { BlobRef } from '../../domain/store';
import { findRunningDevServer } from '../../temporal-config/dev-server/running-server';
import { type CliContext, CliError, exitCodes } from '../context';
import { untilStopped } from '../signals';
import { authorizeWith, type Credentials } from './authorize';
import { startCodecServer } from './codec-server';
import type { HttpServer } from '../ui/http/http-server';
import { Contents } from './contents';
import { PayloadService } from './payloads';

interface CodecOptions extends Omit<Credentials, 'token'> {
  readonly listen: Address;
  readonly ui?: readonly string[];
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where Temporal's dev server and its Docker image serve their Web UI. */
const usualOrigins = ['http://localhost:8233', 'http://localhost:8080'];

/** `baton codec-server`: decodes payloads for Temporal's Web UI. */
export function codecServerCommand(context: CliContext): Command {
  return new Command('codec-server')
    .description(
      "show contents in Temporal's Web UI and CLI: decrypts payloads, and resolves references into the store",
    )
    .option('--listen <address>', 'host and port to listen on', listenOption, { host: '127.0.0.1', port: 8081 })
    .option(
      '--ui <url...>',
      "addresses of Web UIs (default: the dev server's, and ports 8233 and 8080 of this machine)",
    )
    .option('--jwks <url>', 'address of the keys with which an identity provider signs access tokens')
    .option('--audience <name>', 'audience that access tokens must have')
    .option('--issuer <name>', 'issuer that access tokens must have')
    .addHelpText('after', examples)
    .action(async (options: CodecOptions) => {
      const { terminal } = context;
      const { host } = options.listen;
      const server = await serve(context, options);
      try {
        terminal.print(`http://${host}:${server.port}`);
        const keys = context.settings().encryption?.ids.join(', ');
        terminal.note(
          `Decoding payloads ${keys === undefined ? 'without keys: encryption is off' : `with the keys ${keys}`}. Enter this address in the Web UI: Configure Codec Server. Stop with Ctrl-C.`,
        );
        await untilStopped();
      } finally {
        await server.close();
      }
    });
}

async function serve(context: CliContext, options: CodecOptions): Promise<HttpServer> {
  const { host, port } = options.listen;
  const isLocal = host === '127.0.0.1' || host === 'localhost';
  const credentials = { ...options, token: process.env['BATON_CODEC_TOKEN'] || undefined };
  requireCredentials(isLocal, credentials);
  const { encryption, stateDir } = context.settings();
  const contents = new Contents(await context.openStore());
  let link = '';
  const linkTo = (runId: string, { hash, bytes }: BlobRef): string =>
    `${link}/content/${encodeURIComponent(runId)}/${hash}?bytes=${bytes}`;
  const service = new PayloadService(encryption, contents, linkTo);
  const origins = options.ui ?? [...usualOrigins, ...((await devServerUi(stateDir)) ?? [])];
  const authorize = await authorizeWith(credentials);
  try {
    const server = await startCodecServer(service, contents, {
      host,
      port,
      origins: origins.flatMap(originsOf),
      authorize,
      isLocal,
    });
    link = `http://${host}:${server.port}`;
    return server;
  } catch (error) {
    const { message } = error as Error;
    throw new CliError(
      exitCodes.unavailable,
      `${host}:${port} can't be used: ${message}`,
      'Pass another one with --listen.',
    );
  }
}

/** Whoever can use the server can read all runs, so it must know them if they are not on this machine. */
function requireCredentials(isLocal: boolean, { token, jwks, audience }: Credentials): void {
  if (jwks !== undefined && audience === undefined)
    throw new CliError(exitCodes.misused, '--jwks needs --audience: tokens for other services must not count.');
  if (isLocal || token !== undefined || jwks !== undefined) return;
  throw new CliError(
    exitCodes.misused,
    'Beyond this machine, requests must have a token: whoever can use the server can read all runs.',
    'Set BATON_CODEC_TOKEN, or pass --jwks and --audience. Or listen on 127.0.0.1.',
  );
}

async function devServerUi(stateDir: string): Promise<readonly string[] | undefined> {
  const running = await findRunningDevServer(stateDir);
  return running === undefined ? undefined : [running.uiUrl];
}

/** The origin of a Web UI's address. This machine has two names. */
function originsOf(address: string): readonly string[] {
  if (!URL.canParse(address) || !/^https?:/.test(address))
    throw new CliError(
      exitCodes.misused,
      `"${address}" is not the address of a Web UI.`,
      'Pass one with http or https.',
    );
  const { origin, hostname } = new URL(address);
  if (hostname !== 'localhost' && hostname !== '127.0.0.1') return [origin];
  return ['localhost', '127.0.0.1'].map((name) => origin.replace(hostname, name));
}

function listenOption(text: string): Address {
  const [, host = '127.0.0.1', port] = /^(?:([\w.-]+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) throw new InvalidArgumentError('Pass a port, or host:port.');
  return { host, port: Number(port) };
}

const examples = `
It serves /decode and /encode, as Temporal's Web UI and CLI expect, and works with and without encryption. Beyond this
machine, it requires BATON_CODEC_TOKEN or access tokens of an identity provider. docs/encryption.md has the set-up.

Examples:
  $ baton codec-server
  $ baton codec-server --ui https://temporal.example.com --listen 0.0.0.0:8081 --jwks https://id.example.com/keys --audience baton
  $ temporal workflow show -w run/20261116-031522-k3f9q1 --codec-endpoint http://127.0.0.1:8081
`;
