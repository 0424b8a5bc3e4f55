import { ApplicationFailure, SdkComponent } from '@temporalio/common';
import { DefaultLogger, type LogLevel } from '@temporalio/worker';
import { isFailureType } from '../domain/kernel';
import type { FailingTaskWarnings } from './failing-tasks';

/**
 * The SDK's message for a workflow that has closed with a failure. Baton has created that failure from its cause. On
 * the way from the thread of the workflow it loses its type, and its stack only tells where it was created.
 */
const workflowFailed = 'Workflow failed';

/** The SDK's message for a workflow whose type the worker does not have: whoever started it has misspelt the type. */
const unknownType = /^Failed to initialize workflow of type '/;

/**
 * Creates a logger that writes one line per entry, with its fields as JSON. An expected failure is logged without its
 * stack, because it is not a bug, and the workflow's history has its details. With `withoutContents`, because everything
 * is encrypted, errors are logged without their messages: these may quote what agents read and write.
 */
export function plainLogger(
  level: LogLevel,
  failingTasks: FailingTaskWarnings,
  log: (line: string) => void,
  withoutContents = false,
): DefaultLogger {
  const describe = withoutContents ? kindOf : textOf;
  return new DefaultLogger(level, (entry) => {
    const { level: ofEntry, message, meta = {} } = entry;
    const isFromCore = meta['sdkComponent'] === SdkComponent.core;
    if (isFromCore && (failingTasks.takes(entry) || ofEntry !== 'ERROR')) return;
    // The queues of tools and control work have none, on purpose.
    if (message.startsWith('No workflows registered')) return;
    const { error, sdkComponent: _component, taskToken: _token, ...facts } = meta;
    const shown = error === undefined ? facts : { ...facts, error: describe(error) };
    log(`${ofEntry} ${message}${Object.keys(shown).length === 0 ? '' : ` ${JSON.stringify(shown)}`}`);
    if (error instanceof Error && !isExpected(error) && message !== workflowFailed)
      log(withoutContents ? framesOf(error) : textWithStack(error));
  });
}

function isExpected(error: Error): boolean {
  return (error instanceof ApplicationFailure && isFailureType(error.type)) || unknownType.test(error.message);
}

/** Errors as text. Any other value is shown as JSON, like the other fields. */
function textOf(error: unknown): unknown {
  if (error instanceof ApplicationFailure) return `${error.type ?? 'Error'}: ${error.message}`;
  return error instanceof Error ? error.message : error;
}

function kindOf(error: unknown): string {
  if (error instanceof ApplicationFailure) return error.type ?? 'Error';
  return error instanceof Error ? error.name : typeof error;
}

function textWithStack({ stack, message }: Error): string {
  return stack ?? message;
}

/** Where an error was thrown. The first lines of a stack are the message. */
function framesOf({ stack = '', name }: Error): string {
  return [name, ...stack.split('\n').filter((line) => /^\s+at /.test(line))].join('\n');
}
