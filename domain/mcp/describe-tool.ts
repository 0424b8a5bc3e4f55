import { z } from 'zod';
import { checkValue, jsonDigest } from '../kernel';
import type { ToolDescription } from '../tool';
import { cleanText } from './clean-text';
import { normalizeSchema } from './normalize-schema';
import { mcpToolName } from './tool-name';

/** A tool as a server lists it. Nothing in it is trusted. */
const listedToolSchema = z.looseObject({
  name: z.string(),
  description: z.unknown().optional(),
  inputSchema: z.unknown().optional(),
  annotations: z.unknown().optional(),
});
export type ListedTool = Readonly<z.infer<typeof listedToolSchema>>;

/** The description of a tool, or why it can't be used. */
type DescribedTool =
  | { readonly tool: ToolDescription; readonly remarks: readonly string[] }
  | { readonly name: string; readonly problem: string };

/** Tools of a server that can be used, and everything that is wrong with others. */
export interface DescribedTools {
  readonly tools: readonly ToolDescription[];
  readonly problems: readonly ToolProblem[];
}

/** Something wrong with a tool of a server. */
interface ToolProblem {
  /** Name of the tool on the server, without characters that can't be seen. */
  readonly tool: string;
  readonly message: string;
  /** Whether the tool can't be used because of it. */
  readonly isSkipped: boolean;
}

const maxToolNameLength = 128;
const maxDescriptionLength = 4_000;
const hashLength = 12;
/** Maximum tools of one server. */
const maxTools = 512;

/** Describes the tools that a server lists. One that can't be used does not affect the others. */
export function describeTools(
  server: string,
  listed: readonly unknown[],
  { trustHints = true }: { readonly trustHints?: boolean | undefined } = {},
): DescribedTools {
  const tools: ToolDescription[] = [];
  const problems: ToolProblem[] = [];
  for (const each of listed.slice(0, maxTools)) {
    const described = describeTool(server, each, trustHints);
    if ('problem' in described) {
      problems.push({ tool: described.name, message: described.problem, isSkipped: true });
      continue;
    }
    const { tool, remarks } = described;
    const name = tool.mcp?.tool ?? '';
    if (tools.some((other) => other.name === tool.name)) {
      problems.push({ tool: name, message: 'the server lists another tool with this name', isSkipped: true });
      continue;
    }
    tools.push(tool);
    problems.push(...remarks.map((message) => ({ tool: name, message, isSkipped: false })));
  }
  if (listed.length > maxTools) {
    const message = `the server lists ${listed.length} tools; only the first ${maxTools} are used`;
    problems.push({ tool: '', message, isSkipped: true });
  }
  return { tools, problems };
}

function describeTool(server: string, listed: unknown, trustHints: boolean): DescribedTool {
  const parsed = checkValue(listedToolSchema, listed);
  if (!parsed.success) return { name: '', problem: 'it has no name' };
  const { name } = parsed.data;
  const shown = cleanText(name, maxToolNameLength);
  if (!/^[\x21-\x7E]{1,128}$/.test(name))
    return { name: shown, problem: 'its name is empty, too long, or has characters other than visible ASCII' };
  const normalized = normalizeSchema(parsed.data.inputSchema);
  if ('problem' in normalized) return { name: shown, problem: normalized.problem };
  const hints = hintsOf(parsed.data.annotations);
  const hash = toolHash(parsed.data);
  if (hash === undefined) return { name: shown, problem: 'its input schema is nested too deep or is too long' };
  const { description, isCut } = descriptionOf(parsed.data, server);
  return {
    tool: {
      name: mcpToolName(server, name),
      id: `mcp/${server}/${name}#${hash.slice(0, hashLength)}`,
      description,
      inputSchema: normalized.schema as ToolDescription['inputSchema'],
      success: `The result that the MCP server "${server}" returns.`,
      cost: 'A request to the server; the result counts as input tokens.',
      safeToRepeat: trustHints && hints.isSafe,
      mcp: { server, tool: name, hash },
    },
    remarks: [
      ...(isCut ? [`its description is longer than ${maxDescriptionLength} characters and was cut`] : []),
      ...(hints.contradiction === undefined ? [] : [hints.contradiction]),
    ],
  };
}

function descriptionOf(
  { description }: ListedTool,
  server: string,
): { readonly description: string; readonly isCut: boolean } {
  const given = typeof description === 'string' ? description : '';
  const cleaned = cleanText(given, maxDescriptionLength).trim();
  return {
    description: cleaned === '' ? `A tool of the MCP server "${server}", which does not describe it.` : cleaned,
    isCut: given.length > maxDescriptionLength,
  };
}

const hintSchema = z.looseObject({
  readOnlyHint: z.unknown().optional(),
  idempotentHint: z.unknown().optional(),
  destructiveHint: z.unknown().optional(),
});

/** Only `true` counts: a tool that is repeated by mistake may do damage, one that is not only needs another call. */
function hintsOf(annotations: unknown): { readonly isSafe: boolean; readonly contradiction?: string } {
  const parsed = checkValue(hintSchema, annotations);
  if (!parsed.success) return { isSafe: false };
  const { readOnlyHint, idempotentHint, destructiveHint } = parsed.data;
  if (readOnlyHint === true && destructiveHint === true)
    return { isSafe: false, contradiction: 'it claims to be read-only and destructive; it is treated as neither safe' };
  return { isSafe: readOnlyHint === true || idempotentHint === true };
}

/**
 * Returns the hash of what a call depends on: the input schema, and the hints that decide whether it may be repeated. The
 * description is not part of it: the model sees the pinned one, whatever the server says later. Undefined for a schema
 * that is too large to be compared.
 */
export function toolHash({ name, inputSchema, annotations }: ListedTool): string | undefined {
  const { readOnlyHint, idempotentHint, destructiveHint } = checkValue(hintSchema, annotations).data ?? {};
  const hints = [readOnlyHint, idempotentHint, destructiveHint].map((hint) => hint === true);
  return isWithin(inputSchema, maxHashedDepth) && JSON.stringify(inputSchema ?? null).length <= maxHashedLength
    ? jsonDigest({ name, inputSchema: inputSchema ?? null, hints })
    : undefined;
}

const maxHashedDepth = 100;
const maxHashedLength = 512 * 1024;

function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isWithin(member, depth - 1));
}
