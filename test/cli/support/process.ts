import { spawn, type ChildProcess } from 'node:child_process';
import { batonBin } from '../../support/paths';

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A command in a separate process, without those of the tests' environment variables that would affect it. */
export class RunningCommand {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;

  constructor(readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString('utf8')));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    this.ended = new Promise((resolve) => {
      child.once('close', (exitCode, signal) => {
        resolve({ exitCode, signal, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  /** Waits until a text appears on standard error, where commands report progress. */
  said(text: string): Promise<void> {
    return this.shows(text, () => this.stderr);
  }

  /** Waits until a text appears on standard output, which includes a terminal's screen. */
  printed(text: string): Promise<void> {
    return this.shows(text, () => this.stdout);
  }

  private async shows(text: string, output: () => string): Promise<void> {
    const deadline = Date.now() + 90_000;
    while (!output().includes(text)) {
      if (this.child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`"${text}" was not said, but: ${this.stdout}\n${this.stderr}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  kill(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

export function start(program: string, args: readonly string[], { cwd, env }: Surroundings): RunningCommand {
  const kept = Object.entries(process.env).filter(([name]) => !/^(BATON|TEMPORAL|ANTHROPIC|npm)_/.test(name));
  const environment = { ...Object.fromEntries(kept), ...env };
  return new RunningCommand(spawn(program, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] }));
}

export function startBaton(args: readonly string[], surroundings: Surroundings): RunningCommand {
  return start(process.execPath, [batonBin, ...args], surroundings);
}

export function baton(args: readonly string[], surroundings: Surroundings): Promise<Ended> {
  return startBaton(args, surroundings).ended;
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
