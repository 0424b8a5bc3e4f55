const keyPattern = /\bsk-[A-Za-z0-9_-]{8,}/g;

/** Takes API keys out of a text that will be kept in history or logs. */
export function withoutSecrets(text: string): string {
  return text.replace(keyPattern, '[key removed]');
}
