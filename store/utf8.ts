// A byte order mark is part of the text: dropping it would change what its hash stands for.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of these bytes; undefined when they are no UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
