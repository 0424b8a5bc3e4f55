import { visibleJson, visibleText } from '../domain/kernel';
import type { LiveText, Terminal } from './context';
import { readAll } from './read-input';

/** The streams of a process, or a test's replacement of them. */
export interface Streams {
  out(chunk: string | Uint8Array): void;
  err(chunk: string): void;
  readStdin(): Promise<Uint8Array>;
  /** Whether standard output is shown on a screen. */
  readonly outIsTerminal: boolean;
  /** Whether standard error is shown on a screen, so that a person is watching. */
  readonly errIsTerminal: boolean;
}

/**
 * Creates the only way by which commands print. Goals, answers, names and errors come from models and files; a terminal
 * would obey the control characters in them. Baton itself prints none, so all of them are made visible here.
 */
export function createTerminal(streams: Streams): Terminal {
  return {
    print: (text) => {
      streams.out(`${visibleText(text)}\n`);
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
    liveText,
    readStdin: () => streams.readStdin(),
    isInteractive: streams.errIsTerminal,
  };
}

/** Exact bytes are for programs. On a screen they are made visible, and the shell's prompt starts on its own line. */
function forScreen(bytes: Uint8Array): string {
  const text = visibleText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  return text.endsWith('\n') ? text : `${text}\n`;
}

async function liveText(): Promise<LiveText> {
  const { createLogUpdate } = await import('log-update');
  const update = createLogUpdate(process.stderr);
  return {
    show: (text) => {
      update(visibleText(text));
    },
    close: () => {
      update.clear();
      update.done();
    },
  };
}

/** Creates the terminal of this process. */
export function processTerminal(): Terminal {
  return createTerminal({
    out: (chunk) => void process.stdout.write(chunk),
    err: (chunk) => void process.stderr.write(chunk),
    outIsTerminal: process.stdout.isTTY,
    errIsTerminal: process.stderr.isTTY,
    readStdin: () => readAll(process.stdin),
  });
}
