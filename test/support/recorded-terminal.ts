import type { Terminal } from '../../cli/context';
import { createTerminal } from '../../cli/screen/terminal';

export interface RecordedTerminal {
  readonly terminal: Terminal;
  /** The exact bytes of standard output so far. */
  bytes(): Buffer;
  out(): string;
  err(): string;
}

export interface Recording {
  /** Standard input, or what reads it. */
  readonly stdin?: Uint8Array | (() => Promise<Uint8Array>);
  /** Whether standard output and standard error count as a screen. */
  readonly isScreen?: boolean;
  /** Called with every part of standard output. */
  readonly onOutput?: (text: string) => void;
}

/** A terminal that records what would reach the screen, after everything that the real one does to it. */
export function recordTerminal({
  stdin = new Uint8Array(),
  isScreen = false,
  onOutput,
}: Recording = {}): RecordedTerminal {
  const out: Buffer[] = [];
  let err = '';
  const terminal = createTerminal({
    out: (chunk) => {
      out.push(Buffer.from(chunk as Uint8Array));
      onOutput?.(out.at(-1)?.toString('utf8') ?? '');
    },
    err: (chunk) => void (err += chunk),
    readStdin: () => (typeof stdin === 'function' ? stdin() : Promise.resolve(stdin)),
    outIsTerminal: isScreen,
    errIsTerminal: isScreen,
  });
  const bytes = (): Buffer => Buffer.concat(out);
  return { terminal, bytes, out: () => bytes().toString('utf8'), err: () => err };
}
