import { z } from 'zod';
import { type BlobRef, blobRefSchema, mediaTypes } from '../store';
import { pinnedTool, pinnedToolsSchema } from '../tool';
import { type AgentLimits, agentSettingsSchema } from './agent-settings';
import { type OpenedAgent, openedAgentSchema } from './progress';

// A child's start argument is recorded in two histories, so it has no media types that are known, its tools are written
// as one text, and its limits as a list.

/** Fields of an opened agent that are refs, and what they refer to. */
const refFields = {
  prompt: mediaTypes.markdown,
  toolList: mediaTypes.json,
  prompts: mediaTypes.json,
  opening: mediaTypes.json,
  skills: mediaTypes.json,
  output: mediaTypes.json,
} as const satisfies Partial<Record<keyof OpenedAgent, string>>;

/** Hash and bytes of a blob whose media type is known. Any other blob is passed as it is. */
export const passedRefSchema = z.union([z.tuple([z.string(), z.int().nonnegative()]).readonly(), blobRefSchema]);
type PassedRef = Readonly<z.infer<typeof passedRefSchema>>;

/**
 * Names of tools, separated by spaces. `!` follows the name of one that is not safe to repeat, and `<` the names of the
 * slices that it reads, each. Tools whose names have other characters are passed as they are.
 */
const passedToolsSchema = z.union([z.string(), pinnedToolsSchema]);

/** An opened agent as its parent passes it. */
export const passedAgentSchema = openedAgentSchema.extend({
  tools: passedToolsSchema,
  /** Omitted when it is true. */
  searchAttributes: openedAgentSchema.shape.searchAttributes.exactOptional(),
  prompt: passedRefSchema,
  toolList: passedRefSchema,
  prompts: passedRefSchema,
  opening: passedRefSchema,
  skills: passedRefSchema.exactOptional(),
  output: passedRefSchema.exactOptional(),
});
export type PassedAgent = Readonly<z.infer<typeof passedAgentSchema>>;

/** Writes an opened agent in the form in which it is passed to it. */
export function passAgent(opened: OpenedAgent): PassedAgent {
  const { searchAttributes, ...passed } = opened;
  return {
    ...passed,
    ...mapRefs(opened, passRef),
    tools: passTools(opened.tools),
    ...(searchAttributes ? {} : { searchAttributes }),
  };
}

/** Reads what `passAgent` wrote. */
export function receiveAgent(passed: PassedAgent): OpenedAgent {
  const { searchAttributes = true } = passed;
  return {
    ...passed,
    searchAttributes,
    ...mapRefs(passed, receiveRef),
    tools: receiveTools(passed.tools),
  } as OpenedAgent;
}

const limits = agentSettingsSchema.shape.limits.shape;

/** Limits in the order below, null for one that is not set. Runs of an earlier version have them as they are. */
export const passedLimitsSchema = z.union([
  z
    .tuple([
      limits.maxTurns,
      limits.maxDepth,
      limits.maxChildren,
      limits.maxParallel,
      limits.maxPromptBytes.nullable(),
      limits.maxRepeats.nullable(),
      limits.maxToolTokens.nullable(),
    ])
    .readonly(),
  agentSettingsSchema.shape.limits,
]);
type PassedLimits = Readonly<z.infer<typeof passedLimitsSchema>>;

/** Writes limits in the form in which they are passed to a delegation. */
export function passLimits({ maxTurns, maxDepth, maxChildren, maxParallel, ...more }: AgentLimits): PassedLimits {
  const { maxPromptBytes = null, maxRepeats = null, maxToolTokens = null, ...others } = more;
  // The compiler finds a limit that is missing here.
  others satisfies Record<string, never>;
  return [maxTurns, maxDepth, maxChildren, maxParallel, maxPromptBytes, maxRepeats, maxToolTokens];
}

/** Reads what `passLimits` wrote. */
export function receiveLimits(passed: PassedLimits): AgentLimits {
  if ('maxTurns' in passed) return passed;
  const [maxTurns, maxDepth, maxChildren, maxParallel, maxPromptBytes, maxRepeats, maxToolTokens] = passed;
  return {
    maxTurns,
    maxDepth,
    maxChildren,
    maxParallel,
    ...(maxPromptBytes === null ? {} : { maxPromptBytes }),
    ...(maxRepeats === null ? {} : { maxRepeats }),
    ...(maxToolTokens === null ? {} : { maxToolTokens }),
  };
}

function mapRefs<From, To>(
  agent: { readonly [Field in keyof typeof refFields]?: From },
  convert: (ref: From, mediaType: string) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(
    Object.entries(refFields).flatMap(([name, mediaType]) => {
      const ref = agent[name as keyof typeof refFields];
      return ref === undefined ? [] : [[name, convert(ref, mediaType)]];
    }),
  );
}

/** Writes a ref whose media type is known. */
export function passRef(ref: BlobRef, mediaType: string): PassedRef {
  return ref.mediaType === mediaType ? [ref.hash, ref.bytes] : ref;
}

/** Reads a ref whose media type is known. */
export function receiveRef(passed: PassedRef, mediaType: string): BlobRef {
  if ('hash' in passed) return passed;
  const [hash, bytes] = passed;
  return { hash, bytes, mediaType };
}

function passTools(tools: OpenedAgent['tools']): PassedAgent['tools'] {
  const { names, reads } = tools;
  const isPlain = [...names, ...Object.values(reads).flat()].every((name) => /^[\w-]+$/.test(name));
  return isPlain ? names.map((name) => passTool(tools, name)).join(' ') : tools;
}

function passTool(tools: OpenedAgent['tools'], name: string): string {
  const { safeToRepeat = true, reads = [] } = pinnedTool(tools, name) ?? {};
  return [safeToRepeat ? name : `${name}!`, ...reads].join('<');
}

function receiveTools(passed: PassedAgent['tools']): OpenedAgent['tools'] {
  if (typeof passed !== 'string') return passed;
  const tools = passed.split(' ').flatMap((text) => {
    const [marked = '', ...slices] = text.split('<');
    return marked === '' ? [] : [{ name: marked.replace('!', ''), isOnce: marked.endsWith('!'), slices }];
  });
  return {
    names: tools.map(({ name }) => name),
    once: tools.filter(({ isOnce }) => isOnce).map(({ name }) => name),
    reads: Object.fromEntries(tools.flatMap(({ name, slices }) => (slices.length === 0 ? [] : [[name, slices]]))),
  };
}
