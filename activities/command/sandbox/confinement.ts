import type { ChildProcess } from 'node:child_process';
import type { CommandLimits } from '../limits';
import type { Watchdog } from './watchdog';

/** One command to run, after everything about it was checked. */
export interface CommandRequest {
  readonly command: string;
  /** Folder of the host that contains the copy of the workspace. */
  readonly folder: string;
  /** Folder to run the command in, relative to `folder`; empty for `folder` itself. */
  readonly cwd: string;
  /** Environment variables besides the basic ones. */
  readonly env: Readonly<Record<string, string>>;
  readonly network: boolean;
  readonly limits: CommandLimits;
}

/** How to start the process that runs a command. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment of the process. Nothing of the worker's is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Whether the process leads a process group of its own. Default: false. */
  readonly detached?: boolean;
  /** Whether file descriptor 3 is a pipe on which the process reports about itself. Default: false. */
  readonly reports?: boolean;
  /** Cleans up if the worker is killed. It runs already, so that no moment is left in which nothing would. */
  readonly watchdog?: Watchdog;
}

/** How much a command uses at the moment. */
export interface CommandUse {
  readonly processes: number;
  readonly memoryBytes: number;
}

/** A command that was started, with everything that it starts itself. */
export interface ConfinedCommand {
  /** Asks all processes of the command to end. */
  terminate(): void;
  /** Ends all processes of the command, also those that it left in the background. Resolves when none is left. */
  end(): Promise<void>;
  /** Measures the command; undefined where the confinement itself limits it, or where it can't be measured. */
  measure(): CommandUse | undefined;
  /** Returns why the command could not be started; undefined if it was. Called when its process has exited. */
  startFailure(): string | undefined;
}

/** A way to run commands so that they can be ended as a whole. */
export interface Confinement {
  launch(request: CommandRequest): Launch;
  /** Watches a process that was started with `launch`. `report` is its file descriptor 3, if it `reports`. */
  watch(child: ChildProcess, launch: Launch): ConfinedCommand;
}

/** Variables that every command has. */
export function basicEnvironment(path: string): Record<string, string> {
  return { PATH: path, HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8', TERM: 'dumb', CI: 'true' };
}
