import { readRecordedAgent, type RecordedAgent } from '../../client/agent/history';
import { outcomeOf, type RunOutcome } from '../../client/agent/outcome';
import { startRun } from '../../client/agent/start';
import { type AuditedAgent, auditRun } from '../../client/prompt/audit-run';
import { totalTokens, type Usage } from '../../domain/model';
import { extractParent } from '../../domain/prompt';
import type { BlobRef, RunStore } from '../../domain/store';
import { dispatchSubagentName } from '../../domain/tool';
import type { ReplyEntry } from '../../domain/transcript';
import { loadPrompt } from '../../store/prompts';
import { TranscriptCache } from '../../store/transcript/cache';
import { Transcripts } from '../../store/transcript/transcripts';
import { delegator } from '../../testing/scripted-model';
import { filesQuery } from '../../workflows/messages';
import { loadFinalText } from '../agent/final-text';
import type { CliContext } from '../context';
import { pageClaim } from './page-claim';
import { claim, type Claim, runFor, type Stage } from './stage';

const goal =
  'Plan two steps. Delegate the first one with dispatch_subagent: the subagent reads the project, writes the artifact ' +
  'REPORT.md about it, and adds a file with notes. Then read that artifact and answer with its content.';

/** Story: an agent delegates a step of its plan, and only the result enters its context. */
export async function delegationStory(context: CliContext, stage: Stage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const input = runFor(stage, goal);
  stage.play(delegator());
  say('\nAn agent that delegates');

  await stage.startWorker();
  const { workflowId } = await startRun(stage.client, stage.taskQueue, input);
  say(`  run ${input.runId} started: it plans, and delegates the first step to a subagent`);
  const outcome = await outcomeOf(stage.client, input.runId);
  const [parent, child] = await agentsOf(stage, workflowId);
  if (child !== undefined) say(`  the subagent was ${child.workflowId}`);
  if (outcome.kind === 'completed') {
    say('  the answer:');
    say((await loadFinalText(context, input.runId, outcome.result)).replace(/^/gm, '    | '));
  }
  say(stage.whereIs(workflowId));
  return [
    claim('the delegating run ended with an answer', outcome.kind === 'completed'),
    ...(await delegationClaims(context, stage, { runId: input.runId, parent, child, outcome })),
    await auditClaim(context, stage, input.runId),
  ];
}

async function agentsOf({ client }: Stage, workflowId: string): Promise<[RecordedAgent, RecordedAgent | undefined]> {
  const parent = await readRecordedAgent(client, workflowId);
  const [first] = parent.children;
  return [parent, first === undefined ? undefined : await readRecordedAgent(client, first)];
}

interface Played {
  readonly runId: string;
  readonly parent: RecordedAgent;
  readonly child: RecordedAgent | undefined;
  readonly outcome: RunOutcome;
}

/** A real model may ignore the goal and not delegate. Then nothing can be claimed about a subagent. */
async function delegationClaims(context: CliContext, stage: Stage, played: Played): Promise<Claim[]> {
  const { runId, parent, child, outcome } = played;
  if (child === undefined || outcome.kind !== 'completed') {
    return stage.model === undefined ? [] : [claim('a step was delegated to a subagent', false)];
  }
  const store = (await context.openStore()).forRun(runId);
  return [
    await childClaim(stage, parent, child),
    await contextClaim(store, parent, outcome.result.delegatedUsage),
    await promptClaim(store, parent, child),
    await filesClaim(stage, parent, child),
    await pageClaim(context, stage, runId),
  ];
}

async function childClaim({ client }: Stage, parent: RecordedAgent, { workflowId }: RecordedAgent): Promise<Claim> {
  const { parentExecution } = await client.workflow.getHandle(workflowId).describe();
  const isBelow = workflowId.startsWith(`${parent.workflowId}/`) && parentExecution?.workflowId === parent.workflowId;
  return claim("the delegation is its own child workflow, with an id below the run's", isBelow);
}

/** Both start from the mounted folder. Only the subagent's copy may have changed. */
async function filesClaim({ client, model }: Stage, parent: RecordedAgent, child: RecordedAgent): Promise<Claim> {
  const changed = async ({ workflowId }: RecordedAgent): Promise<boolean> => {
    const { workspace } = await client.workflow.getHandle(workflowId).query(filesQuery);
    return workspace !== null && (workspace.changes.length > 0 || workspace.root.hash !== workspace.base.hash);
  };
  const [byParent, byChild] = [await changed(parent), await changed(child)];
  // A real model may not have written any file.
  if (!byChild && model === undefined) return claim("the parent's files are untouched", !byParent);
  return claim("the subagent changed files in its own copy, and the parent's are untouched", byChild && !byParent);
}

async function auditClaim(context: CliContext, { client }: Stage, runId: string): Promise<Claim> {
  const root = await auditRun(client, (await context.openStore()).forRun(runId));
  const agents = flatten(root);
  const sound = agents.every(({ difference }) => difference === null);
  return claim(`the prompts of all ${agents.length} agents, rebuilt from the record, are identical`, sound);
}

function flatten(agent: AuditedAgent): AuditedAgent[] {
  return [agent, ...agent.children.flatMap(flatten)];
}

const maxGrowth = 1_500;

/**
 * Compares the context of the call after the delegation with that of the call that requested it, as the provider
 * counted.
 */
async function contextClaim(store: RunStore, { head }: RecordedAgent, delegated: Usage): Promise<Claim> {
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
async function promptClaim(store: RunStore, parent: RecordedAgent, child: RecordedAgent): Promise<Claim> {
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
  return content.some((block) => block.type === 'toolCall' && block.name === dispatchSubagentName);
}

function contextTokens({ usage }: ReplyEntry): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}
