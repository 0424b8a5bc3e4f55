import { z } from 'zod';
import { checkValue, type FieldProblem, formatFieldPath, sha256Hex, truncateText, utf8 } from '../kernel';
import { builtInToolNames } from '../tool';
import { hiddenCharacter, normalizeText } from './foreign-text';
import { type Frontmatter, importMarkdown } from './imported';
import type { ServedDefinition } from './served-report';
import { parseSkill, type SkillDefinition, type SkillOrigin } from './skill-definition';

/** A skill made from what an MCP server offers, or why it can't be made. */
export type SkillFromServer = ServedDefinition['made'];

/** Maximum bytes of the text of an imported skill. With the rest, the file stays below what is read of a skill file. */
const maxTextBytes = 128 * 1024;

/** An MCP prompt as a server lists it. Nothing in it is trusted. */
export const listedPromptSchema = z.looseObject({
  name: z.string().min(1).max(500),
  title: z.unknown().optional(),
  description: z.unknown().optional(),
  arguments: z
    .array(
      z.looseObject({
        name: z
          .string()
          .regex(
            /^[A-Za-z][A-Za-z0-9_. -]{0,63}$/,
            'must start with a letter, followed by letters, digits, spaces, `_`, `.` and `-`; at most 64 characters',
          ),
        description: z.unknown().optional(),
        required: z.unknown().optional(),
      }),
    )
    .max(50)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'has an argument twice')
    .nullish(),
});
export type ListedPrompt = Readonly<z.infer<typeof listedPromptSchema>>;

/** Returns the text that refers to the value of an argument, for the text of an imported prompt. */
export function argumentPlaceholder(name: string): string {
  return `(the value of "${name}" under INPUT)`;
}

/** The messages of a prompt. Content other than text and text resources is not looked at. */
const messagesSchema = z.array(
  z.looseObject({
    role: z.string(),
    content: z.union([
      z.looseObject({ type: z.literal('text'), text: z.string() }),
      z.looseObject({ type: z.literal('resource'), resource: z.looseObject({ text: z.string() }) }),
      z.looseObject({ type: z.string() }),
    ]),
  }),
);

/** Where a prompt comes from, and which of its arguments were given a value when it was requested. */
export interface PromptSource {
  readonly server: string;
  readonly version: string | undefined;
  readonly fixed: Readonly<Record<string, string>>;
}

/**
 * Makes a skill from an MCP prompt: its text becomes the system prompt, and its arguments become the input. `messages` is
 * the server's answer to a request with `argumentPlaceholder` for each argument that is not fixed.
 */
export function skillFromPrompt(prompt: ListedPrompt, messages: unknown, source: PromptSource): SkillFromServer {
  const read = checkValue(messagesSchema, messages);
  if (!read.success) return { problem: 'the server returned something else than messages' };
  const { text, leftOut } = conversationText(read.data);
  const open = (prompt.arguments ?? []).filter(({ name }) => !Object.hasOwn(source.fixed, name));
  const absent = open.filter(({ name }) => !text.includes(argumentPlaceholder(name)));
  const origin: SkillOrigin = {
    mcp: source.server,
    prompt: prompt.name,
    digest: `sha256:${sha256Hex(text)}`,
    ...versionOf(source.version),
  };
  return checked(
    {
      name: skillNameFor(prompt.name),
      description: describe(prompt.description ?? prompt.title, `The prompt "${prompt.name}" of ${source.server}.`),
      systemPrompt: text,
      tools: [],
      input: inputFrom(open),
      output: 'text',
      origin,
    },
    [
      'it has no tools: add those that it needs',
      ...(leftOut === 0 ? [] : [`${leftOut} of its messages are not text and were left out`]),
      ...absent.map(({ name }) => `the argument "${name}" does not occur in its text`),
    ],
  );
}

function conversationText(messages: z.infer<typeof messagesSchema>): { text: string; leftOut: number } {
  const parts = messages.flatMap(({ role, content }) => {
    if ('text' in content && typeof content.text === 'string') return [{ role, text: content.text }];
    if ('resource' in content && content.type === 'resource') return [{ role, text: textOf(content.resource) }];
    return [];
  });
  const isConversation = parts.some(({ role }) => role !== 'user');
  const texts = parts.map(({ role, text }) => {
    const normal = normalizeText(text).trim();
    return isConversation ? `${role === 'user' ? 'User' : 'Assistant'}:\n\n${normal}` : normal;
  });
  return { text: texts.join('\n\n'), leftOut: messages.length - parts.length };
}

function textOf(resource: unknown): string {
  return checkValue(z.object({ text: z.string() }), resource).data?.text ?? '';
}

function inputFrom(open: readonly NonNullable<ListedPrompt['arguments']>[number][]): SkillDefinition['input'] {
  if (open.length === 0) {
    const goal = { type: 'string' as const, description: 'What else the agent should know' };
    return { type: 'object', properties: { goal }, additionalProperties: false };
  }
  return {
    type: 'object',
    properties: Object.fromEntries(
      open.map(({ name, description }) => {
        const described = describe(description, '');
        return [name, { type: 'string' as const, ...(described === '' ? {} : { description: described }) }];
      }),
    ),
    required: open.filter(({ required }) => required === true).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** A skill that a server serves, whose `SKILL.md` was verified. */
export interface ServedSkill {
  readonly server: string;
  readonly version: string | undefined;
  /** URI of its `SKILL.md`. */
  readonly uri: string;
  /** Digest of `SKILL.md`, such as `sha256:…`. */
  readonly digest: string;
  readonly frontmatter: Frontmatter;
  readonly body: string;
  /** Paths of its other files. */
  readonly others: readonly string[];
}

/** Tools of an imported skill that does not list any: those that only read. */
const readingTools = [
  builtInToolNames.listFiles,
  builtInToolNames.readFile,
  builtInToolNames.grep,
  builtInToolNames.readArtifact,
];

/** Makes a skill from one that a server serves. */
export function skillFromServed(served: ServedSkill): SkillFromServer {
  const { server, version, uri, digest, frontmatter, body, others } = served;
  const field = 'allowed-tools';
  const isUnlisted = (frontmatter[field] ?? null) === null;
  const { value, unmapped } = importMarkdown(frontmatter, normalizeText(body), field);
  const { name, description, systemPrompt, tools, model } = value;
  const origin: SkillOrigin = { mcp: server, skill: uri, digest, ...versionOf(version) };
  const given = typeof name === 'string' ? name : '';
  return checked(
    {
      name: skillNameFor(given),
      description: describe(description, `The skill "${given}" of ${server}.`),
      systemPrompt,
      tools: isUnlisted ? readingTools : tools,
      output: 'text',
      ...(model === undefined ? {} : { model }),
      origin,
    },
    [
      ...(isUnlisted ? [`it lists no tools, so it gets those that only read: ${readingTools.join(', ')}`] : []),
      ...unmapped
        .filter(({ path }) => !isUnlisted || path[0] !== field)
        .map((each) => `${formatFieldPath(each.path)} ${each.message}`),
      ...(others.length === 0 ? [] : [`its other files are not imported: ${listed(others)}`]),
    ],
  );
}

const maxVersion = 100;

/** The version of a server, unless it is something else than one. */
function versionOf(version: string | undefined): Pick<SkillOrigin, 'version'> {
  return version !== undefined && version.length <= maxVersion && hiddenCharacter(version) === undefined
    ? { version }
    : {};
}

const maxListed = 10;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, maxListed).join(', ');
  return names.length <= maxListed ? shown : `${shown} and ${names.length - maxListed} more`;
}

function checked(value: Readonly<Record<string, unknown>>, remarks: readonly string[]): SkillFromServer {
  const { systemPrompt } = value;
  const text = typeof systemPrompt === 'string' ? systemPrompt : '';
  if (text.trim() === '') return { problem: 'it has no text' };
  const bytes = utf8(text).length;
  if (bytes > maxTextBytes) return { problem: `its text has ${bytes} bytes, more than ${maxTextBytes}` };
  const unseen = textsIn(value)
    .map(hiddenCharacter)
    .find((found) => found !== undefined);
  if (unseen !== undefined) return { problem: `it ${unseen}` };
  const parsed = parseSkill(value);
  if (!parsed.ok) return { problem: parsed.problems.map(describeProblem).join('; ') };
  return { value: fileValue(value), remarks };
}

const fileValueSchema = z.record(z.string(), z.json());

/** Fields without a value are left out, as in the file. */
function fileValue(value: Readonly<Record<string, unknown>>): z.infer<typeof fileValueSchema> {
  return fileValueSchema.parse(JSON.parse(JSON.stringify(value)));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.entries(value).flat().flatMap(textsIn) : [];
}

function describeProblem({ path, message }: FieldProblem): string {
  return `${formatFieldPath(path)}: ${message}`;
}

const maxDescription = 1_000;

function describe(description: unknown, otherwise: string): string {
  const text = typeof description === 'string' ? normalizeText(description).trim() : '';
  return truncateText(text === '' ? otherwise : text, maxDescription);
}

const maxName = 64;
const hashLength = 8;

/**
 * Returns the name of a skill file for a name of a server. Characters that a skill's name can't have become `-`. A name
 * that would be empty or too long gets a part of its hash, so that different ones stay different.
 */
export function skillNameFor(name: string): string {
  const plain = name
    .slice(0, 4 * maxName)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z]+|[-_.]+$/g, '');
  if (plain !== '' && plain.length <= maxName) return plain;
  const hash = sha256Hex(name).slice(0, hashLength);
  return plain === '' ? `skill-${hash}` : `${plain.slice(0, maxName - hashLength - 1)}-${hash}`;
}
