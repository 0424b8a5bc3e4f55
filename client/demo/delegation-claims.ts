import { dispatchSubagentName } from '../../domain/dispatch/dispatch-subagent';
import { totalTokens, type Usage } from '../../domain/model/usage';
import { extractParent } from '../../domain/prompt';
import type { BlobRef } from '../../domain/store/blob-ref';
import type { RunStore } from '../../domain/store/store';
import type { ReplyEntry } from '../../domain/transcript/entry';
import { loadPrompt } from '../../store/prompts';
import { TranscriptCache } from '../../store/transcript/cache';
import { Transcripts } from '../../store/transcripts';
import type { RecordedAgent } from '../history';
import { claim, type Claim } from './claim';

const mostTokens = 1_500;

/** By what the provider counted: the call after the delegation against the one that asked for it. */
export async function contextClaim(store: RunStore, { head }: RecordedAgent, delegated: Usage): Promise<Claim> {
  const replies = head === undefined ? [] : await repliesOf(store, head);
  const at = replies.findIndex(dispatches);
  const [before, after] = [replies[at], replies[at + 1]];
  const grown = before && after ? told(after) - told(before) : Infinity;
  return claim(
    `the subagent used ${totalTokens(delegated)} tokens, and its parent's context grew by ${grown}, at most ${mostTokens}`,
    at !== -1 && grown <= mostTokens,
  );
}

export async function promptClaim(store: RunStore, parent: RecordedAgent, child: RecordedAgent): Promise<Claim> {
  const [outer, inner] = [child.opened?.prompt, parent.opened?.prompt];
  const same =
    outer !== undefined &&
    inner !== undefined &&
    Buffer.from(extractParent(await loadPrompt(store, outer, 'demo'))).equals(await loadPrompt(store, inner, 'demo'));
  return claim(`what the subagent was told contains its parent's prompt, byte for byte`, same);
}

async function repliesOf(store: RunStore, head: BlobRef): Promise<ReplyEntry[]> {
  const { entries } = await new Transcripts(store, new TranscriptCache()).load(head);
  return entries.flatMap((entry) => (entry.kind === 'reply' ? [entry] : []));
}

function dispatches({ content }: ReplyEntry): boolean {
  return content.some((block) => block.type === 'tool_use' && block['name'] === dispatchSubagentName);
}

function told({ usage }: ReplyEntry): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}
