import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A request that is refused before it reaches anything. */
export interface Refusal {
  readonly status: 401 | 403 | 413 | 415;
  readonly type: string;
  readonly message: string;
  readonly remedy: string | null;
}

/**
 * Checks the name under which the server was reached. A page of another site can point a name of its own to this
 * machine, and then passes every check of the origin.
 */
export function refuseHost({ headers }: IncomingMessage, port: number): Refusal | undefined {
  const host = headers.host ?? '';
  if (host === `127.0.0.1:${port}` || host === `localhost:${port}`) return undefined;
  return refusal(403, 'Ui.ForeignHost', `This server answers only as 127.0.0.1:${port} or localhost:${port}.`);
}

/** Checks the key. */
export function refuseKey({ headers }: IncomingMessage, key: string): Refusal | undefined {
  const given = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  if (isSameSecret(given, key)) return undefined;
  return refusal(401, 'Ui.NoKey', 'This request has no valid key.', 'Use the address that `baton ui` printed.');
}

/** Compares secrets in a time that does not depend on how much of them is equal. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Checks that a body is JSON. A browser sends a form or plain text to another site without asking it first. */
export function refuseNotJson({ headers }: IncomingMessage): Refusal | undefined {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  return type === 'application/json' ? undefined : refusal(415, 'Ui.NotJson', 'The body must be application/json.');
}

/** Checks a request that changes something: another site's page must not be able to send it. */
export function refuseWrite(request: IncomingMessage, port: number): Refusal | undefined {
  const { headers } = request;
  const notJson = refuseNotJson(request);
  if (notJson !== undefined) return notJson;
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const ours = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  if ((site !== undefined && site !== 'same-origin') || (origin !== undefined && !ours.includes(origin)))
    return refusal(403, 'Ui.ForeignOrigin', 'This request comes from another site.');
  return undefined;
}

/** Creates a refusal. */
export function refusal(
  status: Refusal['status'],
  type: string,
  message: string,
  remedy: string | null = null,
): Refusal {
  return { status, type, message, remedy };
}

/** Headers of every answer. No cookie is ever set, and no other site may read an answer. */
export const commonHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
};

/** Answers that are not the page may load nothing. */
export const closedPolicy = "default-src 'none'; frame-ancestors 'none'";
