import { emitKeypressEvents, type Key } from 'node:readline';
import { visibleJson, visibleText } from '../../domain/kernel';
import type { LiveText, ScreenSize, Terminal } from '../context';
import { readAll } from '../read-input';
import { type Line, renderLine, usesColours } from './style';

/** The streams of a process, or a test's replacement of them. */
export interface Streams {
  out(chunk: string | Uint8Array): void;
  err(chunk: string): void;
  readStdin(): Promise<Uint8Array>;
  /** Whether standard output is shown on a screen. */
  readonly outIsTerminal: boolean;
  /** Whether standard error is shown on a screen, so that a person is watching. */
  readonly errIsTerminal: boolean;
  /** Whether each of them has colours. Default: none. */
  readonly colours?: { readonly out: boolean; readonly err: boolean };
  /** Size of the screen. Default: 80 columns and 24 rows. */
  readonly size?: () => Partial<ScreenSize>;
}

/**
 * Creates the only way by which commands print. Goals, answers, names and errors come from models and files; a terminal
 * would obey the control characters in them. Baton itself prints only colours, so all others are made visible here.
 */
export function createTerminal(streams: Streams): Terminal {
  const { colours = { out: false, err: false } } = streams;
  const size = (): ScreenSize => {
    const { columns = 0, rows = 0 } = streams.size?.() ?? {};
    return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
  };
  return {
    print: (text) => {
      streams.out(`${visibleText(text)}\n`);
    },
    printLines: (lines) => {
      streams.out(rendered(lines, colours.out));
    },
    printJson: (value) => {
      streams.out(`${visibleJson(value)}\n`);
    },
    write: (bytes) => {
      streams.out(streams.outIsTerminal ? forScreen(bytes) : bytes);
    },
    note: (text) => {
      streams.err(`${visibleText(text)}\n`);
    },
    noteLines: (lines) => {
      streams.err(rendered(lines, colours.err));
    },
    bell: () => {
      if (streams.errIsTerminal) streams.err('\u0007');
    },
    columns: () => (streams.outIsTerminal ? size().columns : undefined),
    liveText: () => liveText(size, colours.err),
    readStdin: () => streams.readStdin(),
    isInteractive: streams.errIsTerminal,
  };
}

function rendered(lines: readonly Line[], hasColours: boolean): string {
  return lines.map((line) => `${renderLine(line, hasColours)}\n`).join('');
}

/** Exact bytes are for programs. On a screen they are made visible, and the shell's prompt starts on its own line. */
function forScreen(bytes: Uint8Array): string {
  const text = visibleText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  return text.endsWith('\n') ? text : `${text}\n`;
}

async function liveText(size: () => ScreenSize, hasColours: boolean): Promise<LiveText> {
  const { createLogUpdate } = await import('log-update');
  const update = createLogUpdate(process.stderr);
  let release = (): void => undefined;
  return {
    show: (text) => {
      update(visibleText(text));
    },
    showLines: (lines) => {
      update(rendered(lines, hasColours).trimEnd());
    },
    above: (lines) => {
      update.clear();
      process.stderr.write(rendered(lines, hasColours));
    },
    onKey: (listener) => {
      release();
      release = listenToKeys(listener);
    },
    size,
    close: () => {
      release();
      update.clear();
      update.done();
    },
  };
}

/** Listens to the keyboard, if there is one, until the returned function is called. Ctrl-C still interrupts. */
function listenToKeys(listener: (name: string) => void): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => undefined;
  const onKey = (_: string | undefined, { name = '', ctrl = false }: Key): void => {
    // In this mode the terminal sends the key instead of the signal.
    if (ctrl && name === 'c') process.kill(process.pid, 'SIGINT');
    else listener(name);
  };
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.on('keypress', onKey);
  stdin.resume();
  return () => {
    stdin.off('keypress', onKey);
    stdin.setRawMode(false);
    stdin.pause();
  };
}

/** Creates the terminal of this process. `args`: its arguments. */
export function processTerminal(args: readonly string[]): Terminal {
  const { stdout, stderr, env } = process;
  const end = args.indexOf('--');
  const isForbidden = args.slice(0, end === -1 ? args.length : end).includes('--no-color');
  const hasColours = (isTerminal: boolean): boolean => usesColours({ isTerminal, env, isForbidden });
  return createTerminal({
    out: (chunk) => void stdout.write(chunk),
    err: (chunk) => void stderr.write(chunk),
    outIsTerminal: stdout.isTTY,
    errIsTerminal: stderr.isTTY,
    colours: { out: hasColours(stdout.isTTY), err: hasColours(stderr.isTTY) },
    size: () => (stdout.isTTY ? stdout : stderr),
    readStdin: () => readAll(process.stdin),
  });
}
