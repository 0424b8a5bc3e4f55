import { RE2JS } from 're2js';
import { ToolError } from '../define-tool';

const maxPatternLength = 500;

/** Returns the position of the first match in a line; undefined when nothing matches. */
export type LineMatcher = (line: string) => number | undefined;

/**
 * Compiles a pattern with RE2, which takes time in proportion to the line, whatever the pattern. Models write patterns,
 * and a JavaScript expression that backtracks endlessly would block the whole worker.
 */
export function compilePattern(pattern: string, ignoreCase: boolean): LineMatcher {
  if (pattern.length > maxPatternLength) {
    throw new ToolError(`The pattern is longer than ${maxPatternLength} characters.`);
  }
  try {
    const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return (line) => {
      // `test` alone is several times faster, and most lines do not match.
      if (!compiled.test(line)) return undefined;
      const matcher = compiled.matcher(line);
      return matcher.find() ? matcher.start() : undefined;
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError(`Invalid pattern (${reason}). Use RE2 syntax: no lookaround, no backreferences.`);
  }
}
