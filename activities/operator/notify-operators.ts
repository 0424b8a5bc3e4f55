import { DomainError } from '../../domain/kernel';
import { announcementOf, type NotifyOperatorsInput, type NotifySettings } from '../../domain/operator';
import { withinTime } from '../within-time';

/** Longest time that the address may take to answer, in milliseconds. */
const patienceMs = 10_000;

/** Statuses of an answer that says nothing about the request itself. */
const temporary: readonly number[] = [408, 425, 429];

class NotificationRejectedError extends DomainError {
  readonly type = 'Notify.Rejected';
}

class NotificationUnreachableError extends DomainError {
  readonly type = 'Notify.Unreachable';
}

/**
 * Posts an incident as JSON. Failures name the variable or the host, and never the address, which may be a secret. A
 * redirect is refused: it could lead anywhere.
 */
export async function notifyOperators(
  { to, agent, incident }: NotifyOperatorsInput,
  signal: AbortSignal,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<{ status: number }> {
  const { url, name } = addressOf(to, environment);
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'baton' },
    body: JSON.stringify(announcementOf(agent, incident)),
    redirect: 'manual',
  } as const;
  const sent = withinTime(signal, patienceMs, (stop) => fetch(url, { ...request, signal: stop }));
  const response = await sent.catch((error: unknown) => {
    signal.throwIfAborted();
    throw new NotificationUnreachableError(`${name} can't be reached: ${reasonOf(error)}`);
  });
  // The answer itself is of no use, and may be endless.
  await response.body?.cancel().catch(() => undefined);
  const { status, ok } = response;
  if (ok) return { status };
  if (status >= 500 || temporary.includes(status)) throw new NotificationUnreachableError(`${name} answered ${status}`);
  throw new NotificationRejectedError(`${name} answered ${status}`);
}

interface Address {
  readonly url: URL;
  /** What failures call it. */
  readonly name: string;
}

function addressOf(to: NotifySettings, environment: Readonly<Record<string, string | undefined>>): Address {
  const text = 'url' in to ? to.url : (environment[to.env] ?? '');
  if (text === '' && 'env' in to) throw new NotificationRejectedError(`${to.env} is not set for the worker`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isSafe(url))
    throw new NotificationRejectedError(
      `${'env' in to ? to.env : 'the address'} must be an https address, or http on the machine of the worker`,
    );
  return { url, name: 'env' in to ? `the address in ${to.env}` : url.host };
}

function isSafe({ protocol, hostname }: URL): boolean {
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLocal);
}

/** The reason of a failed request is in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error instanceof Error ? error.name : 'unknown error';
}
