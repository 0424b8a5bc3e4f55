import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, type LogLevel } from '@temporalio/worker';
import { isFailureType } from '../domain/kernel/failure-types';

/**
 * Creates a logger that writes one line per entry, with its fields as JSON. An expected failure is logged without its
 * stack, because it is not a bug, and the workflow's history has its details.
 */
export function plainLogger(level: LogLevel, say: (line: string) => void): DefaultLogger {
  return new DefaultLogger(level, ({ level: ofEntry, message, meta = {} }) => {
    const { error, sdkComponent: _component, taskToken: _token, ...facts } = meta;
    const shown = error === undefined ? facts : { ...facts, error: describe(error) };
    say(`${ofEntry} ${message}${Object.keys(shown).length === 0 ? '' : ` ${JSON.stringify(shown)}`}`);
    if (error instanceof Error && !isExpected(error)) say(error.stack ?? error.message);
  });
}

function isExpected(error: Error): boolean {
  return error instanceof ApplicationFailure && isFailureType(error.type);
}

function describe(error: unknown): string {
  if (error instanceof ApplicationFailure) return `${error.type ?? 'Error'}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
