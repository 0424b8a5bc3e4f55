/** Removes secrets from a text that is written to a failure or a log. */
export type Redact = (text: string) => string;

/** What a worker removes from failures and logs in addition to what looks like a secret anywhere. */
export interface RedactOptions {
  /** Values to remove wherever they occur, such as the worker's own API key. Values under 12 characters are ignored. */
  readonly secrets?: readonly string[] | undefined;
  /** Functions that remove whatever matches a configured pattern. */
  readonly patterns?: readonly Redact[] | undefined;
}

/** Replaces every secret. */
export const removedSecret = '[secret removed]';

/** Shorter values could be words, which would then be removed from ordinary sentences. */
const minSecretLength = 12;

/** Longest text that is searched. The rest is dropped, so that a huge text cannot occupy a worker. */
const maxSearchedLength = 64 * 1024;

/**
 * Credentials of well-known forms. `$1` is kept. Every repetition is bounded or cannot start again inside what it has
 * matched, so that the time is linear in the length of the text.
 */
const credentials: readonly RegExp[] = [
  // Also without its end, because messages are often truncated.
  /()-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:(?!-----END)[^])*(?:-----END [A-Z0-9 ]{0,40}-----)?/g,
  /\b(authorization["']?\s{0,4}[:=]\s{0,4}["']?)(?!\[secret )[^\s"',;][^"',;\n]{0,4000}/gi,
  /\b(bearer(?:\s{1,4}|["']?\s?[:=]\s?["']?))(?!\[secret )[^\s"',;]{6,}/gi,
  /\b((?:set-)?cookie["']?\s{0,4}[:=]\s{0,4}["']?)(?!\[secret )[^\s"'][^"'\n]{0,4000}/gi,
  // "Basic authentication failed" is a sentence.
  /\b(basic\s{1,4})(?!auth)[A-Za-z0-9+/_-]{6,}={0,2}/gi,
  // `https://user:password@host`
  /(:\/\/[^\s/:@"']{0,200}:)[^\s/@"']{1,500}(?=@)/g,
  // JSON Web Tokens.
  /()\beyJ[A-Za-z0-9_-]{5,500}\.[A-Za-z0-9_-]{5,4000}(?:\.[A-Za-z0-9_-]{0,2000})?/g,
  // Anthropic, OpenAI, Stripe and others.
  /()\b[spr]k[-_][A-Za-z0-9_-]{8,}/g,
  // Amazon, also keys of Bedrock.
  /()\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}/g,
  /()\b(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/=]{30,}/g,
  // Google: API keys, access tokens, secrets and refresh tokens of clients.
  /()\b(?:AIza|ya29\.|GOCSPX-|1\/\/0)[A-Za-z0-9_-]{16,}/g,
  // Azure: secrets of applications. Its other keys are found by the names of their fields.
  /()(?<![\w~.-])[\w~.-]{3}[78]Q~[\w~.-]{31,34}(?![\w~.-])/g,
  // GitHub, GitLab, npm, PyPI, Hugging Face.
  /()\b(?:gh[pousr]_|github_pat_|glpat-|npm_|pypi-|hf_)[A-Za-z0-9_-]{10,}/g,
  // Slack, also the addresses that whoever knows them may post to.
  /()\b(?:xox[a-z]|xapp)-[A-Za-z0-9-]{8,}/g,
  /(\bhooks\.slack\.com\/[a-z]{1,20}\/)(?!\[secret )[A-Za-z0-9/_-]{10,}/g,
  // Groq, xAI, Perplexity, Replicate, Vault, SendGrid, DigitalOcean, Databricks.
  /()\b(?:gsk_|xai-|pplx-|r8_|hv[sb]\.|SG\.|do[opr]_v1_)[A-Za-z0-9._-]{20,}/g,
  /()\bdapi[0-9a-f]{32}/g,
  ...secretFields(),
];

/**
 * Fields whose value is a secret: `?key=…`, `api_token = "…"`, `"password": "…"`, `x-api-key: …`, `secretAccessKey: '…'`.
 * Quotation marks may be escaped, because an error often quotes JSON within JSON. Before a colon and without quotation marks,
 * a name has several words or is one that begins no sentence: "invalid key: messages.1" is none.
 */
function secretFields(): readonly RegExp[] {
  const secretWords = 'key|token|secret|password|passwd|passphrase|pwd|signature';
  const name = `[a-z0-9_.-]{0,40}(?:${secretWords}|\\bsig)`;
  const named = `\\b(?:[a-z0-9]{1,40}[_-]){1,4}(?:${secretWords})|\\b(?:api[ _-]?key(?: [a-z]{1,20}){0,2}|password|passwd|passphrase|pwd)`;
  const inCamelCase = '\\b[a-z][A-Za-z0-9]{0,40}(?:Key|Token|Secret|Password|Passphrase|Signature)';
  const quote = '\\\\{0,3}["\']';
  const value = '(?!\\[secret )[^\\s"\'\\\\&,;(){}\\[\\]][^\\s"\'\\\\&,;]{3,}';
  const withDigit = `(?=[^\\s"',;]{0,200}\\d)${value}[^\\s"'\\\\&,;]{4}`;
  return [
    new RegExp(`(${name}(?:${quote})?\\s{0,4}=\\s{0,4}(?:${quote})?)${value}`, 'gi'),
    new RegExp(`(${quote}${name}${quote}\\s{0,4}:\\s{0,4}${quote})${value}`, 'gi'),
    new RegExp(`(\\bx-[a-z-]{0,20}(?:key|token):\\s{0,4})${value}`, 'gi'),
    new RegExp(`((?:${named})\\s{0,4}:\\s{0,4}${quote})${value}`, 'gi'),
    new RegExp(`((?:${named})\\s{0,4}:\\s{0,4})${withDigit}`, 'gi'),
    new RegExp(`((?:${inCamelCase})\\s{0,4}:\\s{0,4}${quote})${value}`, 'g'),
    new RegExp(`((?:${inCamelCase})\\s{0,4}:\\s{0,4})${withDigit}`, 'g'),
  ];
}

/** Removes what looks like a secret. Use `createRedactor` where a worker's own secrets are known. */
export function redactSecrets(text: string): string {
  const searched = text.slice(0, maxSearchedLength);
  return credentials.reduce((rest, pattern) => rest.replace(pattern, `$1${removedSecret}`), searched);
}

/** Creates a function that removes the given secrets, then what matches the given patterns or looks like a secret. */
export function createRedactor({ secrets = [], patterns = [] }: RedactOptions): Redact {
  // The longest first: a secret may contain another one.
  const values = [...new Set(secrets)]
    .filter((value) => value.length >= minSecretLength)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    const searched = text.slice(0, maxSearchedLength);
    const withoutValues = values.reduce((rest, value) => rest.replaceAll(value, removedSecret), searched);
    return redactSecrets(patterns.reduce((rest, remove) => remove(rest), withoutValues));
  };
}
