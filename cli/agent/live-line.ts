import type { Terminal } from '../context';

/** A line that shows the current progress. */
export interface LiveLine {
  /** Shows the text. `clock` changes constantly and is shown only where the line can be redrawn. */
  show(text: string, clock: string): void;
  close(): void;
}

/** Creates a line that is redrawn on a terminal. Elsewhere it prints a new line for each change. */
export async function liveLine(terminal: Terminal): Promise<LiveLine> {
  if (!terminal.isInteractive) {
    let last = '';
    return {
      show(text) {
        if (text !== last) terminal.note(text);
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
