import type { Log } from './environment';

export interface Progress {
  /** Called often; shows the text at a pace that suits where it goes. */
  update(text: string): void;
  /** Ends the live line and leaves `text` in its place. */
  finish(text: string): void;
}

export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const lineEveryMs = 15_000;

/** One line that changes in place on a terminal; elsewhere a new line now and then, so that a log stays readable. */
export function createProgress(log: Log, stream: ProgressStream = process.stderr, everyMs = lineEveryMs): Progress {
  if (stream.isTTY === true) {
    return {
      update: (text) => stream.write(`\r\u001b[K${text}`),
      finish: (text) => stream.write(`\r\u001b[K${text}\n`),
    };
  }
  let shownAt = -Infinity;
  return {
    update(text) {
      if (Date.now() - shownAt < everyMs) return;
      shownAt = Date.now();
      log(text);
    },
    finish: log,
  };
}
