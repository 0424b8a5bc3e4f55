import { ApplicationFailure, SdkComponent } from '@temporalio/common';
import { DefaultLogger, type LogLevel } from '@temporalio/worker';
import { isFailureType } from '../domain/kernel';
import type { FailingTaskWarnings } from './failing-tasks';

/**
 * Creates a logger that writes one line per entry, with its fields as JSON. An expected failure is logged without its
 * stack, because it is not a bug, and the workflow's history has its details.
 */
export function plainLogger(
  level: LogLevel,
  failingTasks: FailingTaskWarnings,
  log: (line: string) => void,
): DefaultLogger {
  return new DefaultLogger(level, (entry) => {
    const { level: ofEntry, message, meta = {} } = entry;
    const isFromCore = meta['sdkComponent'] === SdkComponent.core;
    if (isFromCore && (failingTasks.takes(entry) || ofEntry !== 'ERROR')) return;
    // The queues of tools and control work have none, on purpose.
    if (message.startsWith('No workflows registered')) return;
    const { error, sdkComponent: _component, taskToken: _token, ...facts } = meta;
    const shown = error === undefined ? facts : { ...facts, error: describe(error) };
    log(`${ofEntry} ${message}${Object.keys(shown).length === 0 ? '' : ` ${JSON.stringify(shown)}`}`);
    if (error instanceof Error && !isExpected(error)) log(error.stack ?? error.message);
  });
}

function isExpected(error: Error): boolean {
  return error instanceof ApplicationFailure && isFailureType(error.type);
}

/** Errors as text. Any other value is shown as JSON, like the other fields. */
function describe(error: unknown): unknown {
  if (error instanceof ApplicationFailure) return `${error.type ?? 'Error'}: ${error.message}`;
  return error instanceof Error ? error.message : error;
}
