import { z } from 'zod';
import { utf8 } from '../kernel';
import { spilledTextSchema } from '../store';

/** The result of one delegation of a batch. */
export const subagentResultSchema = z.object({
  delegationId: z.string(),
  success: z.boolean(),
  output: spilledTextSchema,
  error: z.string().nullable(),
});
export type SubagentResult = Readonly<z.infer<typeof subagentResultSchema>>;

/** The result of one delegation as the parent's model sees it. */
const shownResultSchema = z.object({ output: z.string(), success: z.boolean(), error: z.string().nullable() });
export type ShownResult = Readonly<z.infer<typeof shownResultSchema>>;

/**
 * Renders results as the lines between the brackets of a JSON array. Every result is one line, and everything that a
 * subagent wrote is inside a JSON string: no output can pass for the result of another subagent.
 */
export function renderResultLines(results: readonly ShownResult[]): string {
  return results.map(({ output, success, error }) => JSON.stringify({ output, success, error })).join(',\n');
}

/** Appends lines to those that were rendered before; both may be empty. */
export function joinResultLines(before: string, lines: string): string {
  return [before, lines].filter((part) => part !== '').join(',\n');
}

/** Completes the array. Its first result is in line 2. */
export function resultArray(lines: string): string {
  return `[\n${lines}\n]`;
}

/** Parses what `renderResultLines` rendered. */
export function parseResultLines(lines: string): ShownResult[] {
  return shownResultSchema.array().parse(JSON.parse(resultArray(lines)));
}

/**
 * Shortens results until their array has at most `maxBytes`: outputs longer than an equal share are cut, and if that is not
 * enough, results at the end are left out. A cut output names the line of the artifact `name`, which has all results.
 */
export function fitResults(results: readonly ShownResult[], maxBytes: number, name: string): ShownResult[] {
  const share = Math.max(minOutputBytes, Math.floor(maxBytes / results.length) - frameBytes);
  const cut = results.map((result, index) => {
    const output = cutToJsonBytes(result.output, share);
    if (output === result.output) return result;
    return { ...result, output: `${output}\n[cut here: read_artifact "${name}", offset ${index + 2}, limit 1]` };
  });
  let bytes = '[\n\n]'.length;
  const end = cut.findIndex((result) => (bytes += utf8(renderResultLines([result])).length + ',\n'.length) > maxBytes);
  return end === -1 ? cut : cut.slice(0, end);
}

/** Bytes of a result besides its output. */
const frameBytes = 160;
/** Bytes of the shortest output that is worth showing. */
const minOutputBytes = 100;

/** Returns the beginning of a text that takes at most this many bytes inside a JSON string. Never splits a character. */
function cutToJsonBytes(text: string, bytes: number): string {
  let length = 0;
  let end = 0;
  for (const character of text) {
    length += jsonBytes(character.codePointAt(0) ?? 0);
    if (length > bytes) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

/** Returns the most bytes that a character takes inside a JSON string: escapes have up to six. */
function jsonBytes(code: number): number {
  if (code < 0x20 || (code >= 0xd800 && code < 0xe000)) return 6;
  if (code === 0x22 || code === 0x5c) return 2;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/** Renders the first line of a batch's results: how many delegations succeeded and failed. */
export function renderHeading(outcomes: readonly boolean[]): string {
  const failed = outcomes.filter((success) => !success).length;
  const all = `${outcomes.length} ${outcomes.length === 1 ? 'delegation' : 'delegations'}`;
  if (failed === outcomes.length) return `All ${all} failed.`;
  return failed === 0 ? `All ${all} succeeded.` : `${all}: ${outcomes.length - failed} succeeded, ${failed} failed.`;
}
