const keyPattern = /\bsk-[A-Za-z0-9_-]{8,}/g;

/** Removes API keys from a text that is written to history or logs. */
export function redactSecrets(text: string): string {
  return text.replace(keyPattern, '[key removed]');
}
