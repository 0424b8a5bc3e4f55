import type { Log } from '../node/environment';

/** Displays the progress of a long task. */
export interface Progress {
  /** Shows the current state. May be called often; output to a log is throttled. */
  update(text: string): void;
  /** Replaces the live line with a final one. */
  finish(text: string): void;
}

/** The stream that progress is written to. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const lineEveryMs = 15_000;

/** Shows progress as one line that is updated in place on a terminal, and as an occasional new line in a log. */
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
