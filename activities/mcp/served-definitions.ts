import { SkillVerificationError, SkillsClient, type Skill } from '@modelcontextprotocol/client/ext/skills';
import { z } from 'zod';
import { checkValue, closestName, firstIssue, InvalidInputError, redactSecrets } from '../../domain/kernel';
import { cleanServerText, McpError } from '../../domain/mcp';
import {
  argumentPlaceholder,
  type ImportRequest,
  type ListedPrompt,
  listedPromptSchema,
  type ServedDefinition,
  type SkillFromServer,
  skillFromPrompt,
  skillFromServed,
} from '../../domain/skill';
import type { McpConnection } from './connection';
import { explainError } from './explain-error';

const promptsPageSchema = z.looseObject({ prompts: z.array(z.unknown()), nextCursor: z.string().optional() });
const messagesSchema = z.looseObject({ messages: z.unknown() });
const maxPages = 64;
/** Maximum prompts and skills that are read at once, so that nobody is given thousands of files by mistake. */
const maxDefinitions = 100;
const requestMs = 30_000;
const maxShownName = 100;

/** Something that a server offers, and how to read it. */
interface Offer {
  readonly kind: ServedDefinition['kind'];
  readonly name: string;
  read(): Promise<SkillFromServer>;
}

/**
 * Reads prompts and skills of a server. Skills are verified: one whose digest or size is not the one that the server has
 * published is an `McpError` of the type `Mcp.SkillUnverified`. Throws an `InvalidInputError` for a name that does not exist.
 */
export async function readDefinitions(
  connection: McpConnection,
  request: ImportRequest,
): Promise<readonly ServedDefinition[]> {
  const offers = await listOffers(connection, request);
  const chosen = choose(connection.server, offers, request.names);
  const read: ServedDefinition[] = [];
  // One after the other: some servers handle only one request at a time.
  for (const { kind, name, ...offer } of chosen)
    read.push({ kind, name: cleanServerText(name, maxShownName), made: await offer.read() });
  return read;
}

async function listOffers(connection: McpConnection, { kinds, fixed }: ImportRequest): Promise<readonly Offer[]> {
  try {
    return [
      ...(kinds.includes('prompt') ? await listPrompts(connection, fixed) : []),
      ...(kinds.includes('skill') ? await listSkills(connection) : []),
    ];
  } catch (error) {
    throw explainError(connection.server, error, 'start');
  }
}

function choose(server: string, offers: readonly Offer[], names: readonly string[]): readonly Offer[] {
  const known = [...new Set(offers.map(({ name }) => name))];
  const missing = names.find((name) => !known.includes(name));
  if (missing !== undefined) {
    const near = closestName(missing, known);
    const listed = known.slice(0, maxDefinitions).map((name) => cleanServerText(name, maxShownName));
    throw new InvalidInputError(
      'name',
      `the MCP server "${server}" has no prompt or skill "${missing}"`,
      `${near === undefined ? '' : `Did you mean "${cleanServerText(near, maxShownName)}"? `}It has: ${listed.join(', ') || 'none'}.`,
    );
  }
  const chosen = names.length === 0 ? offers : offers.filter(({ name }) => names.includes(name));
  if (chosen.length <= maxDefinitions) return chosen;
  throw new InvalidInputError(
    'name',
    `the MCP server "${server}" has ${chosen.length} prompts and skills, and at most ${maxDefinitions} are imported at once`,
    'Name those that you want.',
  );
}

async function listPrompts(connection: McpConnection, fixed: ImportRequest['fixed']): Promise<readonly Offer[]> {
  const { client, server, info } = connection;
  if (client.getServerCapabilities()?.prompts === undefined) return [];
  const listed: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; ; page += 1) {
    if (page === maxPages)
      throw new McpError('Mcp.InvalidResponse', server, `The MCP server "${server}" lists prompts without end.`);
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'prompts/list', params }, promptsPageSchema, { timeout: requestMs });
    listed.push(...answer.prompts);
    if (answer.nextCursor === undefined || answer.nextCursor === cursor) break;
    cursor = answer.nextCursor;
  }
  return listed.map((each) => {
    const parsed = checkValue(listedPromptSchema, each);
    if (parsed.success) {
      const source = { server, version: info.version, fixed };
      const prompt = parsed.data;
      return { kind: 'prompt', name: prompt.name, read: () => readPrompt(connection, prompt, source) };
    }
    const { field, reason } = firstIssue(parsed.error);
    const problem = `the server describes it wrongly: ${field}: ${reason}`;
    return { kind: 'prompt', name: nameIn(each), read: () => Promise.resolve({ problem }) };
  });
}

function nameIn(listed: unknown): string {
  return checkValue(z.object({ name: z.string() }), listed).data?.name ?? '';
}

async function readPrompt(
  { client, server }: McpConnection,
  prompt: ListedPrompt,
  source: Parameters<typeof skillFromPrompt>[2],
): Promise<SkillFromServer> {
  const values = (prompt.arguments ?? []).map(({ name }) => [name, source.fixed[name] ?? argumentPlaceholder(name)]);
  const params = {
    name: prompt.name,
    ...(values.length === 0 ? {} : { arguments: Object.fromEntries(values) as Record<string, string> }),
  };
  try {
    const { messages } = await client.request({ method: 'prompts/get', params }, messagesSchema, {
      timeout: requestMs,
    });
    return skillFromPrompt(prompt, messages, source);
  } catch (error) {
    const { message } = explainError(server, error, 'call');
    const names = values.map(([name]) => name).join(', ');
    const hint =
      values.length === 0 ? '' : ` (it may need real values for its arguments ${names}: pass --arg name=value)`;
    return { problem: `the server did not return it: ${messageLine(message)}${hint}` };
  }
}

const maxMessage = 500;

/** Returns what a server says about a problem as one line, without secrets and without a final period. */
function messageLine(text: string): string {
  return redactSecrets(cleanServerText(text, maxMessage)).replace(/\s+/g, ' ').replace(/\.$/, '');
}

async function listSkills(connection: McpConnection): Promise<readonly Offer[]> {
  const client = new SkillsClient(connection.client, { skipInvalid: true });
  if (!client.supported) return [];
  const { skills, invalid } = await client.list({}, { timeout: requestMs });
  const valid = skills.map((skill): Offer => {
    return { kind: 'skill', name: skill.frontmatter.name, read: () => readSkill(connection, client, skill) };
  });
  const others = invalid.map(({ uri = '', reason }): Offer => {
    const problem = `the server describes it wrongly: ${messageLine(reason)}`;
    return { kind: 'skill', name: uri, read: () => Promise.resolve({ problem }) };
  });
  return [...valid, ...others];
}

async function readSkill(
  { server, info }: McpConnection,
  client: SkillsClient,
  skill: Skill,
): Promise<SkillFromServer> {
  const { uri, resources } = skill;
  const name = cleanServerText(skill.frontmatter.name, maxShownName);
  if (resources === 'dynamic') throw unverified(server, name, 'the server does not publish digests of its files');
  try {
    const { frontmatter = {}, body = '' } = await client.read(skill, undefined, { timeout: requestMs });
    const own = resources.find((resource) => resource.uri === uri);
    return skillFromServed({
      server,
      version: info.version,
      uri,
      digest: own?.digest ?? '',
      frontmatter,
      body,
      others: resources
        .filter((resource) => resource.uri !== uri)
        .map((resource) => cleanServerText(resource.uri, maxShownName)),
    });
  } catch (error) {
    if (error instanceof SkillVerificationError) throw unverified(server, name, messageLine(error.message));
    throw explainError(server, error, 'call');
  }
}

function unverified(server: string, name: string, why: string): McpError {
  return new McpError(
    'Mcp.SkillUnverified',
    server,
    `The skill "${name}" of the MCP server "${server}" was refused: ${why}. Nothing was imported.`,
  );
}
