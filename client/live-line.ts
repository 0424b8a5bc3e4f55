import type { Terminal } from './cli';

export interface LiveLine {
  /** `clock` changes all the time and is shown only where the line can be redrawn. */
  show(text: string, clock: string): void;
  close(): void;
}

/** One line that is redrawn on a terminal; elsewhere a new line for each change. */
export async function liveLine(terminal: Terminal): Promise<LiveLine> {
  if (!terminal.isInteractive) {
    let last = '';
    return {
      show(text) {
        if (text !== last) terminal.warn(text);
        last = text;
      },
      close: () => undefined,
    };
  }
  const { createLogUpdate } = await import('log-update');
  const update = createLogUpdate(process.stderr);
  return {
    show: (text, clock) => {
      update(`${text} · ${clock}`);
    },
    close: () => {
      update.clear();
      update.done();
    },
  };
}
