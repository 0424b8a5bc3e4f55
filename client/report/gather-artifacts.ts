import type { Client } from '@temporalio/client';
import { runWorkflowId } from '../../domain/kernel/ids';
import type { BlobRef } from '../../domain/store/blob-ref';
import type { RunStore } from '../../domain/store/store';
import { decodeUtf8 } from '../../store/utf8';
import { filesQuery } from '../../workflows/messages';
import { readEnding } from '../agent/ending';
import { agentLabel } from '../../domain/kernel/agent-id';
import type { LoggedAgent } from './from-events';
import type { ReportArtifact } from './report-model';

const maxInlineBytes = 64 * 1024;
const maxArtifacts = 200;
const queryTimeoutMs = 5_000;

interface Named {
  readonly name: string;
  readonly ref: BlobRef;
}

/** Lists the artifacts of the root agent. If no worker answers, lists what completed delegations returned. */
export async function gatherArtifacts(
  client: Client,
  runId: string,
  agents: readonly LoggedAgent[],
  store: RunStore | undefined,
  gaps: string[],
): Promise<ReportArtifact[]> {
  const handle = client.workflow.getHandle(runWorkflowId(runId));
  const files = await client
    .withDeadline(Date.now() + queryTimeoutMs, () => handle.query(filesQuery))
    .catch(() => undefined);
  const named = files?.artifacts ?? (await returnedArtifacts(client, agents));
  if (named.length > maxArtifacts) gaps.push(`Only ${maxArtifacts} of ${named.length} artifacts are shown.`);
  return Promise.all(named.slice(0, maxArtifacts).map((artifact) => loaded(artifact, store)));
}

async function returnedArtifacts(client: Client, agents: readonly LoggedAgent[]): Promise<Named[]> {
  const found: Named[] = [];
  for (const { workflowId, parent, status } of agents) {
    if (parent === null || status !== 'completed') continue;
    const artifacts = (await readEnding(client, workflowId))?.artifacts ?? [];
    found.push(...artifacts.map(({ name, ref }) => ({ name: `${agentLabel(workflowId)}: ${name}`, ref })));
  }
  return found;
}

async function loaded({ name, ref }: Named, store: RunStore | undefined): Promise<ReportArtifact> {
  const facts = { name, bytes: ref.bytes, mediaType: ref.mediaType };
  if (store === undefined) return { ...facts, text: null, note: 'the store cannot be read here' };
  if (ref.bytes > maxInlineBytes) return { ...facts, text: null, note: 'too large for this page' };
  try {
    const text = decodeUtf8(await store.get(ref, 'report'));
    return { ...facts, text: text ?? null, note: text === undefined ? 'not text' : '' };
  } catch (error) {
    return { ...facts, text: null, note: error instanceof Error ? error.message : String(error) };
  }
}
