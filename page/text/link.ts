const schemes = ['http:', 'https:', 'mailto:'];

/** Where a link goes. `host` is shown behind a text that is not the address itself. */
export interface LinkTarget {
  readonly href: string;
  readonly host: string | null;
}

/** Returns null if the address may not be opened: only http, https and mailto may. */
export function linkTarget(href: string, text: string): LinkTarget | null {
  const url = parsed(href);
  if (url === null || !schemes.includes(url.protocol)) return null;
  const shown = [href, url.href, `${url.host}${url.pathname}`, url.host, url.pathname].map(withoutSlash);
  const isShown = shown.includes(withoutSlash(text));
  return { href: url.href, host: isShown ? null : url.host === '' ? url.pathname : url.host };
}

/** Host of an address of the web; null for others. */
export function httpHost(address: string): string | null {
  const url = parsed(address);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url.host : null;
}

function parsed(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, '');
}
