import type { OpenedAgent } from '../../domain/agent';
import { canonicalJson } from '../../domain/kernel';
import { droppedByChange } from '../../domain/model';
import { auditComposition, type PromptRecord, renderPrompt, withTranscript } from '../../domain/prompt';
import { type BlobRef, isStoreTrouble, type RunStore } from '../../domain/store';
import { type ResolvedEntry, renderTranscript } from '../../domain/transcript';
import { sha256 } from '../../store/blobs';
import { assemblePrompt, getPromptRecord, loadPrompt } from '../../store/prompts';
import { Transcripts } from '../../store/transcript/transcripts';
import type { RecordedAgent } from '../agent/history';
import { loadConversations } from '../record/stored-facts';

/** An agent as the audit needs it, from its history or from the store. */
export type AgentToAudit = Omit<RecordedAgent, 'opened'> & { readonly opened: Opening | undefined };
/** The parts of an opened agent that are checked. */
export type Opening = Pick<OpenedAgent, 'prompt' | 'opening' | 'toolList' | 'deferred'>;

/** What many agents of a run have in common, and is therefore read once. */
export interface SharedReads {
  tools(ref: BlobRef): Promise<unknown>;
  embeddedPrompt(ref: BlobRef): Promise<EmbeddedPrompt>;
}

/** A prompt that others embed: the prompt of their parent, with or without its transcript. */
export interface EmbeddedPrompt {
  readonly bytes: Uint8Array;
  /** Hash of the parent's prompt, without the transcript. */
  readonly ownHash: string;
  /** Whether the transcript, if there is one, is the parent's. */
  readonly isSame: boolean;
}

/**
 * Returns the message of an error, which is the difference that an audit reports. Throws if the store could not be read:
 * that says nothing about what it contains.
 */
export function differenceOf(error: unknown): string {
  if (isStoreTrouble(error)) throw error;
  return error instanceof Error ? error.message : String(error);
}

/**
 * Returns the first difference between an agent's prompt or transcript and its record; undefined when there is none.
 */
export async function checkAgent(
  store: RunStore,
  agent: AgentToAudit,
  parent: Opening | undefined,
  reads: SharedReads,
): Promise<string | undefined> {
  const { opened } = agent;
  if (opened === undefined) return 'no prompt is recorded';
  try {
    const record = await getPromptRecord(store, opened.prompt, 'audit');
    return (
      (await checkPrompt(store, { opened, record, parent }, reads)) ??
      (await checkTranscript(store, agent, opened, reads))
    );
  } catch (error) {
    return differenceOf(error);
  }
}

interface PromptToCheck {
  readonly opened: Opening;
  readonly record: PromptRecord;
  readonly parent: Opening | undefined;
}

async function checkPrompt(
  store: RunStore,
  { opened, record, parent }: PromptToCheck,
  { embeddedPrompt }: SharedReads,
): Promise<string | undefined> {
  if (record.prompt.hash !== opened.prompt.hash) return 'the record belongs to a different prompt';
  const load = async (ref: BlobRef): Promise<Uint8Array> => (await embeddedPrompt(ref)).bytes;
  const prompt = await assemblePrompt(store, { ...record, prompt: opened.prompt }, 'audit', load);
  if (record.origin.kind === 'rendered') {
    const { definition, headingLevel = 2 } = record.origin;
    const { hash } = renderPrompt(definition, { parameters: record.parameters, headingLevel, sha256 });
    return hash === opened.prompt.hash ? undefined : `the prompt has hash ${hash} when it is rendered again`;
  }
  if (record.origin.kind === 'withTranscript') return 'its prompt has a transcript appended';
  const { composition, parent: recorded } = record.origin;
  const embedded = await embeddedPrompt(recorded);
  if (embedded.ownHash !== parent?.prompt.hash) return "it was composed from a different prompt than its parent's";
  if (!embedded.isSame) return "it embeds something else than its parent's transcript";
  return auditComposition({ record: composition, parent: embedded.bytes, prompt }, { sha256 });
}

/** Reads a prompt that others embed. */
export async function readEmbedded(store: RunStore, ref: BlobRef): Promise<EmbeddedPrompt> {
  const record = await getPromptRecord(store, ref, 'audit');
  return {
    bytes: await loadPrompt(store, ref, 'audit'),
    ownHash: record.origin.kind === 'withTranscript' ? record.origin.prompt.hash : ref.hash,
    isSame: await isTranscriptOf(store, record),
  };
}

/** Renders the transcript that an embedded prompt ends with again, if it has one, and compares. */
async function isTranscriptOf(store: RunStore, { origin, prompt }: PromptRecord): Promise<boolean> {
  if (origin.kind !== 'withTranscript') return true;
  const { entries } = await new Transcripts(store).load(origin.head);
  const [record, bytes] = await Promise.all([
    getPromptRecord(store, origin.prompt, 'audit'),
    loadPrompt(store, origin.prompt, 'audit'),
  ]);
  const markdown = Buffer.from(bytes).toString('utf8');
  const again = withTranscript({ markdown, sections: record.sections }, renderTranscript(entries));
  return sha256(again.markdown) === prompt.hash;
}

/**
 * Loading a transcript verifies each of its links. This also checks that every conversation of the agent begins with its
 * prompt and tools, and that a change of the provider records what it leaves out.
 */
async function checkTranscript(
  store: RunStore,
  { head }: AgentToAudit,
  opened: Opening,
  { tools }: SharedReads,
): Promise<string | undefined> {
  for (const { opening, entries } of await loadConversations({ store }, head ?? opened.opening)) {
    if (opening.prompt.hash !== opened.prompt.hash) return 'its transcript begins with a different prompt';
    await tools(opening.tools);
    if (!entries.every(recordsWhatItDrops)) return 'its transcript does not record what another provider was not sent';
  }
  return undefined;
}

/** Counts again what a change of the provider withholds from the new model, and compares. */
function recordsWhatItDrops(entry: ResolvedEntry, index: number, entries: readonly ResolvedEntry[]): boolean {
  if (entry.kind !== 'change') return true;
  const dropped = droppedByChange(entries.slice(0, index), entry.model);
  return canonicalJson(entry.dropped ?? []) === canonicalJson(dropped);
}
