import { toolLines } from '../../domain/prompt';
import {
  type ChangedTools,
  type ChangeToolsInput,
  explainRestrictions,
  type PinnedAccess,
  pinTools,
  type ToolDescription,
  toolDescriptionSchema,
  withRestrictions,
} from '../../domain/tool';
import { getJson, putJson } from '../../store/blobs';
import { getRootTools } from '../../store/prompts';
import { runStoreFor, type SharedDependencies } from '../dependencies';

/** Grants or revokes tools. No agent gets a tool that the root agent of its run does not have. */
export async function changeTools(
  { store }: SharedDependencies,
  { toolList, grant, revoke, access, ...location }: ChangeToolsInput,
): Promise<ChangedTools> {
  const runStore = runStoreFor(store, location);
  const current = await getJson(runStore, toolList, toolDescriptionSchema.array(), 'tools of the agent');
  const root = await getRootTools(runStore);
  const has = (tools: readonly ToolDescription[], tool: string): boolean => tools.some(({ name }) => name === tool);
  const granted = root
    .filter(({ name }) => grant.includes(name) && !has(current, name))
    .map((tool) => withRestrictions(tool, access));
  const tools = [...current.filter(({ name }) => !revoke.includes(name)), ...granted];
  return {
    toolList: await putJson(runStore, tools),
    tools: pinTools(tools),
    refused: grant.filter((name) => !has(root, name)),
    entry: granted.map((tool) => toolingEntry(tool, access)).join('\n'),
  };
}

/** Describes a tool like the tooling section of a composed prompt. */
function toolingEntry({ name, id, success, cost }: ToolDescription, access: PinnedAccess | undefined): string {
  const provenance = "granted on request, from the root agent's tools";
  const restricted = explainRestrictions(access, name);
  const kind = restricted === undefined ? 'inherited' : 'restricted';
  return `\`${name}\`\n${toolLines({ name, id, success, cost, provenance, ...restricted }, kind)}`;
}
