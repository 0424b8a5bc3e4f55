import { parseKeyPairsIntoRecord } from '@opentelemetry/core';
import { RE2JS } from 're2js';
import { createRedactor, InvalidInputError, type Redact, removedSecret } from '../domain/kernel';

/** Secrets that a worker removes from failures and logs, in addition to what looks like one. */
export interface RedactSettings {
  /** Values to remove wherever they occur. Values under 12 characters are ignored. Default: none. */
  readonly secrets?: readonly string[];
  /**
   * Regular expressions in the syntax of RE2, which needs time linear in the length of a text. Whatever matches is
   * removed. Default: none.
   */
  readonly patterns?: readonly string[];
}

/**
 * Creates the function that removes secrets from texts.
 *
 * @throws InvalidInputError if a pattern is not a regular expression.
 */
export function redactorFor({ secrets = [], patterns = [] }: RedactSettings = {}): Redact {
  return createRedactor({ secrets, patterns: patterns.map(removeMatches) });
}

/** The variables from which the exporter of traces reads the headers of its requests. */
const collectorHeaders = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'];

/** Returns the values of the headers that a collector of traces is sent, such as its token. */
export function secretsOfCollector(environment: Readonly<Record<string, string | undefined>>): string[] {
  return collectorHeaders.flatMap((name) => Object.values(parseKeyPairsIntoRecord(environment[name])));
}

function removeMatches(pattern: string): Redact {
  const compiled = compile(pattern);
  return (text) => compiled.matcher(text).replaceAll(removedSecret);
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidInputError(
      'redact',
      `"${pattern}" is not a regular expression (${reason})`,
      'Use the syntax of RE2, which has no lookahead and no backreferences.',
    );
  }
}
