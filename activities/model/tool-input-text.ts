import { unreadablePart } from '../../domain/model';

/**
 * Parses the input of a tool call. SDKs would parse what is there of a truncated text. Here it stays a text, so that the
 * call is never run.
 */
export function parsedOrText(json: string): unknown {
  try {
    const input: unknown = JSON.parse(json);
    return isStorable(input) ? input : json;
  } catch {
    return json;
  }
}

/** Whether the input of a tool call can be stored as it is. */
export function isStorable(input: unknown): boolean {
  return typeof input === 'string' || unreadablePart(input) === undefined;
}
