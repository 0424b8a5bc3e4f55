import { describeRestriction, type PinnedAccess, restrictionsOf, revocationOf } from './access';
import type { OfferedTools } from './deferral';
import type { ToolDescription } from './description';
import { describeDeferred, toolLine } from './find-tool';

/** A search for deferred tools, and its result. */
export interface ToolSearch {
  readonly query: string;
  /** The tools that are in the list from now on, best match first. */
  readonly found: readonly ToolDescription[];
  /** Names of further matches, best first. */
  readonly others: readonly string[];
  /** The agent's tools after the search. */
  readonly offer: OfferedTools;
  readonly access: PinnedAccess | undefined;
}

/** Maximum names of further matches that are listed. */
const maxOthers = 20;

/** Renders the result of a search for the model. */
export function renderFound({ query, found, others, offer, access }: ToolSearch): string {
  if (found.length === 0) return renderNothing(query, offer, access);
  const what = found.length === 1 ? 'This tool is' : `These ${found.length} tools are`;
  return [
    `${what} in your list from now on:`,
    '',
    ...found.map((tool) => toolLine(tool) + restrictionOf(tool, access)),
    ...(others.length === 0 ? [] : ['', renderOthers(others)]),
  ].join('\n');
}

function restrictionOf({ name }: ToolDescription, access: PinnedAccess | undefined): string {
  const restrictions = restrictionsOf(access, name).map(describeRestriction);
  return restrictions.length === 0 ? '' : ` Restricted: ${restrictions.join('; ')}.`;
}

function renderOthers(others: readonly string[]): string {
  const listed = others.slice(0, maxOthers).map((name) => `\`${name}\``);
  const rest = others.length - listed.length;
  const more = rest === 0 ? '' : `, and ${rest} more`;
  return `Matching as well, but not brought in: ${listed.join(', ')}${more}. Search for a name, or for more precise words, to get them.`;
}

function renderNothing(query: string, { shown, deferred }: OfferedTools, access: PinnedAccess | undefined): string {
  const name = query.trim();
  if (shown.some((tool) => tool.name === name)) return `\`${name}\` is already in your list.`;
  const revoked = revocationOf(access, name);
  if (revoked !== undefined) return `${name} was revoked. Reason: ${revoked.reason} Instead: ${revoked.alternative}`;
  if (deferred.length === 0) return 'Nothing was found: all your tools are in your list.';
  return `Nothing was found for ${JSON.stringify(name)}. Deferred are ${describeDeferred(deferred)}. Search with other words, such as a verb and an object ("create issue"), or the name of a server.`;
}
