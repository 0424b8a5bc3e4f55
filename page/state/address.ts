// Addresses of places in the page. They are in the fragment, so they are the same in the live page and in a file, and the
// server never receives them.

/** Which runs a list shows. */
export type RunFilter = 'needs you' | 'running' | 'failed' | 'done';

/** The list of runs. */
export interface RunsPlace {
  readonly page: 'runs';
  readonly status: RunFilter | null;
  readonly q: string;
}

/** Parts of an address behind the agent. */
export interface AgentParams {
  /** Tab of the detail pane. */
  readonly tab?: string;
  /** Turn, such as `12`; `12.1` is the oldest version of one that a reset replaced. */
  readonly t?: string;
  /** Id of a tool call. */
  readonly c?: string;
  /** Id of an incident. */
  readonly i?: string;
  /** Section of a prompt. */
  readonly s?: string;
  /** File or artifact. */
  readonly f?: string;
  /** Filter of the tree. */
  readonly q?: string;
  /** Id of a tool call whose agents are shown as a table instead of the agent. */
  readonly table?: string;
  /** State to which that table is limited. */
  readonly state?: string;
  /** Text that was searched for in all agents; the hits are shown instead of the agent. */
  readonly find?: string;
}

/** A run, and an agent in it. */
export interface RunPlace {
  readonly page: 'run';
  readonly run: string;
  /** Delegation ids, or their first letters, joined by `/`; empty for the root. */
  readonly path: string;
  readonly params: AgentParams;
}

export type Place = RunsPlace | RunPlace;

const paramNames = ['tab', 't', 'c', 'i', 's', 'f', 'q', 'table', 'state', 'find'] as const;
const filters: Readonly<Record<string, RunFilter>> = {
  'needs-you': 'needs you',
  running: 'running',
  failed: 'failed',
  done: 'done',
};

/** Parses a fragment, with or without `#`. Anything that is not an address is the list of runs. */
export function parseAddress(fragment: string): Place {
  const [path, query] = split(fragment.replace(/^#/, ''), '?');
  const params = new Map(
    query
      .split('&')
      .filter((part) => part !== '')
      .map((part) => split(part, '=').map(decode) as [string, string]),
  );
  const [, kind, run = '', ...ids] = path.split('/').map(decode);
  if (kind === 'r' && run !== '')
    return { page: 'run', run, path: ids.filter((id) => id !== '').join('/'), params: agentParams(params) };
  return { page: 'runs', status: filters[params.get('status') ?? ''] ?? null, q: params.get('q') ?? '' };
}

function agentParams(given: ReadonlyMap<string, string>): AgentParams {
  return Object.fromEntries(
    paramNames.flatMap((name) => {
      const value = given.get(name);
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** Formats an address, with `#`. */
export function formatAddress(place: Place): string {
  if (place.page === 'runs') {
    const status = place.status?.replace(' ', '-') ?? '';
    return `#/${query({ status, q: place.q })}`;
  }
  const ids = place.path === '' ? '' : `/${place.path.split('/').map(encode).join('/')}`;
  return `#/r/${encode(place.run)}${ids}${query(place.params)}`;
}

function query(params: Readonly<Record<string, string>> | AgentParams): string {
  const parts = Object.entries(params as Record<string, string>).filter(([, value]) => value !== '');
  return parts.length === 0
    ? ''
    : `?${parts.map(([name, value]) => `${name}=${encode(value).replace(/%2F/g, '/')}`).join('&')}`;
}

function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Leaves what is readable in an address as it is. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%(3A|3E|2C)/g, decodeURIComponent);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The key in the address that `baton ui` printed, and the address without it; undefined if there is none. */
export function takeKey(fragment: string): { readonly key: string; readonly rest: string } | undefined {
  const [, key = '', rest = ''] = /^#k=([\w-]+)&?(.*)$/.exec(fragment) ?? [];
  if (key !== '') return { key, rest: `#${rest === '' ? '/' : rest}` };
  const inQuery = /^(#.*?)([?&])k=([\w-]+)&?(.*)$/.exec(fragment);
  if (inQuery === null) return undefined;
  const [, before = '', mark = '', found = '', after = ''] = inQuery;
  return { key: found, rest: after === '' ? before : `${before}${mark}${after}` };
}

/** The agent that an address names. */
export type Resolved =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly nearest: string; readonly unknown: string }
  | { readonly kind: 'several'; readonly nearest: string; readonly candidates: readonly string[] };

/** Finds an agent by its path. The first letters of each id are enough if they identify one. */
export function resolvePath(wanted: string, childrenOf: (path: string) => readonly string[]): Resolved {
  let path = '';
  for (const id of wanted === '' ? [] : wanted.split('/')) {
    const children = childrenOf(path);
    const exact = path === '' ? id : `${path}/${id}`;
    const candidates = children.includes(exact) ? [exact] : children.filter((child) => child.startsWith(exact));
    if (candidates.length > 1) return { kind: 'several', nearest: path, candidates };
    if (candidates[0] === undefined) return { kind: 'missing', nearest: path, unknown: id };
    path = candidates[0];
  }
  return { kind: 'found', path };
}
