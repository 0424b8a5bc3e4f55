import type { Client } from '@temporalio/client';
import type { CliContext } from '../../../cli/context';
import { runProgram } from '../../../cli/run-program';
import { openStore } from '../../../store/open-store';
import { readSettings, type Settings } from '../../../temporal-config/node/settings';
import { recordTerminal, type Recording } from '../../support/recorded-terminal';

export interface InProcess {
  readonly client: Client;
  /** Where relative paths in settings lead to. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Set if the server can't be reached: the error of every attempt to connect. */
  readonly unreachable?: Error;
}

export interface Printed {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process, with everything that the real program does except for the process itself. */
export async function batonInProcess(
  { client, folder, env, unreachable }: InProcess,
  args: readonly string[],
  recording: Recording = {},
): Promise<Printed> {
  const { terminal, out, err } = recordTerminal(recording);
  const settings = (): Settings => readSettings(env, folder);
  const context: CliContext = {
    terminal,
    settings,
    connect: () =>
      unreachable === undefined
        ? Promise.resolve({ client, namespace: 'default', uiUrl: undefined, close: () => Promise.resolve() })
        : Promise.reject(unreachable),
    openStore: () => openStore(settings()),
  };
  const exitCode = await runProgram(context, args);
  return { exitCode, stdout: out(), stderr: err() };
}
