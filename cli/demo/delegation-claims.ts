import { dispatchSubagentName } from '../../domain/delegation/dispatch-subagent';
import { totalTokens, type Usage } from '../../domain/model/usage';
import { extractParent } from '../../domain/prompt';
import type { BlobRef } from '../../domain/store/blob-ref';
import type { RunStore } from '../../domain/store/store';
import type { ReplyEntry } from '../../domain/transcript/entry';
import { loadPrompt } from '../../store/prompts';
import { TranscriptCache } from '../../store/transcript/cache';
import { Transcripts } from '../../store/transcript/transcripts';
import type { RecordedAgent } from '../../client/agent/history';
import { claim, type Claim } from './claim';

const maxGrowth = 1_500;

/**
 * Compares the context of the call after the delegation with that of the call that requested it, as the provider
 * counted.
 */
export async function contextClaim(store: RunStore, { head }: RecordedAgent, delegated: Usage): Promise<Claim> {
  const replies = head === undefined ? [] : await repliesOf(store, head);
  const at = replies.findIndex(dispatches);
  const [before, after] = [replies[at], replies[at + 1]];
  const growth = before && after ? contextTokens(after) - contextTokens(before) : Infinity;
  return claim(
    `the subagent used ${totalTokens(delegated)} tokens, and its parent's context grew by ${growth}; the limit is ${maxGrowth}`,
    at !== -1 && growth <= maxGrowth,
  );
}

/** Checks that the child's prompt contains its parent's prompt unchanged. */
export async function promptClaim(store: RunStore, parent: RecordedAgent, child: RecordedAgent): Promise<Claim> {
  const [outer, inner] = [child.opened?.prompt, parent.opened?.prompt];
  const same =
    outer !== undefined &&
    inner !== undefined &&
    Buffer.from(extractParent(await loadPrompt(store, outer, 'demo'))).equals(await loadPrompt(store, inner, 'demo'));
  return claim("the subagent's prompt contains its parent's prompt, byte for byte", same);
}

async function repliesOf(store: RunStore, head: BlobRef): Promise<ReplyEntry[]> {
  const { entries } = await new Transcripts(store, new TranscriptCache()).load(head);
  return entries.flatMap((entry) => (entry.kind === 'reply' ? [entry] : []));
}

function dispatches({ content }: ReplyEntry): boolean {
  return content.some((block) => block.type === 'tool_use' && block['name'] === dispatchSubagentName);
}

function contextTokens({ usage }: ReplyEntry): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}
