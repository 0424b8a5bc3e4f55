import { toolLines } from '../../domain/prompt';
import {
  type ChangedTools,
  type ChangeToolsInput,
  explainRestrictions,
  offered,
  type PinnedAccess,
  pinTools,
  renderFound,
  searchTools,
  type ToolDescription,
  toolDescriptionSchema,
  withRestrictions,
} from '../../domain/tool';
import { getJson, putJson } from '../../store/blobs';
import { getRootTools } from '../../store/prompts';
import { runStoreFor, type SharedDependencies } from '../dependencies';
import { readDeferred, storeDeferred } from './deferred-tools';

/** Grants or revokes tools, or brings in deferred ones. No agent gets a tool that the root agent of its run does not have. */
export async function changeTools(
  { store }: SharedDependencies,
  { toolList, grant, revoke, access, deferred, find, ...location }: ChangeToolsInput,
): Promise<ChangedTools> {
  const runStore = runStoreFor(store, location);
  const current = await getJson(runStore, toolList, toolDescriptionSchema.array(), 'tools of the agent');
  const hidden = await readDeferred(runStore, deferred);
  const root = await getRootTools(runStore);
  const has = (tools: readonly ToolDescription[], tool: string): boolean => tools.some(({ name }) => name === tool);
  const granted = root
    .filter(({ name }) => grant.includes(name) && !has(current, name) && !has(hidden, name))
    .map((tool) => withRestrictions(tool, access));
  const { matches, found } = search(hidden, find);
  const brought = [...found, ...hidden.filter((tool) => grant.includes(tool.name) && !found.includes(tool))];
  const stays = ({ name }: ToolDescription): boolean => !revoke.includes(name);
  const offer = offered(
    [...current.filter(stays), ...granted, ...brought],
    hidden.filter((tool) => stays(tool) && !brought.includes(tool)),
  );
  const others = matches.slice(found.length).map(({ name }) => name);
  return {
    toolList: await putJson(runStore, offer.shown),
    tools: pinTools(offer.shown),
    refused: grant.filter((name) => !has(root, name) && !has(hidden, name)),
    entry: granted.map((tool) => toolingEntry(tool, access)).join('\n'),
    ...(await storeDeferred(runStore, offer.deferred)),
    ...(brought.length === 0 ? {} : { found: brought.map(({ name }) => name) }),
    ...(find === undefined ? {} : { answer: renderFound({ query: find.query, found, others, offer, access }) }),
  };
}

function search(
  hidden: readonly ToolDescription[],
  find: ChangeToolsInput['find'],
): { readonly matches: readonly ToolDescription[]; readonly found: readonly ToolDescription[] } {
  if (find === undefined) return { matches: [], found: [] };
  const { query, limit, exact } = find;
  const matches =
    exact === true ? hidden.filter(({ name }) => name === query) : searchTools(query, hidden).map(({ tool }) => tool);
  return { matches, found: matches.slice(0, limit) };
}

/** Describes a tool like the tooling section of a composed prompt. */
function toolingEntry({ name, id, success, cost }: ToolDescription, access: PinnedAccess | undefined): string {
  const provenance = "granted on request, from the root agent's tools";
  const restricted = explainRestrictions(access, name);
  const kind = restricted === undefined ? 'inherited' : 'restricted';
  return `\`${name}\`\n${toolLines({ name, id, success, cost, provenance, ...restricted }, kind)}`;
}
