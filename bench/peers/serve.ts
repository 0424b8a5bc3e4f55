// The working process of a system: opens it, and does what the benchmark asks for.
import type { Place, System, SystemModule } from './system';

/** A request of the benchmark: a method of the system, with its arguments. */
export interface Request {
  readonly number: number;
  readonly method: Exclude<keyof System, never>;
  readonly args: readonly unknown[];
}

/** The answer to a request. Number 0 tells that the system is open. */
export interface Reply {
  readonly number: number;
  readonly result?: unknown;
  readonly error?: string;
}

const reply = (message: Reply): void => void process.send?.(message);
const errorText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${errorText(error.cause)}`;
};

async function answer(number: number, work: () => unknown): Promise<void> {
  try {
    reply({ number, result: await work() });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    reply({ number, error: errorText(error) });
  }
}

const [file = '', place = '{}'] = process.argv.slice(2);
let system: System | undefined;
void answer(0, async () => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- The file is named by the benchmark.
  const module = require(file) as SystemModule;
  system = await module.open(JSON.parse(place) as Place);
});
process.on('message', ({ number, method, args }: Request) => {
  void answer(number, () => (system?.[method] as (...args: readonly unknown[]) => unknown)(...args));
});
process.once('disconnect', () => process.exit(0));
// Sent by the terminal to the whole group. The benchmark ends this process.
process.on('SIGINT', () => undefined);
