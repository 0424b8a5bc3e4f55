import { canonicalJson, formatFieldPath, type Json, truncateText, visibleText } from '../../domain/kernel';
import { type JsonSchema, jsonViolation } from '../../domain/prompt/output';
import {
  checkCall,
  type CheckedEdit,
  type CheckEditInput,
  dispatchSubagentsName,
  type ToolDescription,
  toolDescriptionSchema,
} from '../../domain/tool';
import { getJson, spillText } from '../../store/blobs';
import { runStoreFor, type SharedDependencies } from '../dependencies';

/** Maximum characters of the arguments that the model is shown. */
const maxPreview = 300;

/** Checks arguments with which an operator replaces those of a call. */
export async function checkEdit(
  { store }: SharedDependencies,
  { call, toolList, rules, edit, ...location }: CheckEditInput,
): Promise<CheckedEdit> {
  const runStore = runStoreFor(store, location);
  const tools = await getJson(runStore, toolList, toolDescriptionSchema.array(), 'tools of the agent');
  const tool = tools.find(({ name }) => name === call.name);
  const text = canonicalJson(edit);
  return {
    problem:
      tool === undefined
        ? `the agent no longer has ${call.name}`
        : (problemOf(tool, call.items, edit as Json) ?? checkCall(rules, text).violation?.message ?? null),
    input: await spillText(runStore, text),
    preview: truncateText(visibleText(text), maxPreview),
  };
}

function problemOf({ name, inputSchema }: ToolDescription, items: number | undefined, edit: Json): string | null {
  const found = violationOf(inputSchema as unknown as JsonSchema, edit);
  if (found !== undefined) return `${formatFieldPath(found.path) || 'the arguments'}: ${found.message}`;
  return name === dispatchSubagentsName && delegationsIn(edit) !== items
    ? `delegations: must still have ${items ?? 0} entries, because the budget is shared out by their number`
    : null;
}

/** A schema that can't be read, as one of another program, is left to the tool itself. */
function violationOf(schema: JsonSchema, edit: Json): ReturnType<typeof jsonViolation> {
  try {
    return jsonViolation(schema, edit);
  } catch {
    return undefined;
  }
}

function delegationsIn(edit: Json): number {
  const { delegations } = edit as { readonly delegations?: unknown };
  return Array.isArray(delegations) ? delegations.length : 0;
}
