import { setTimeout as sleep } from 'node:timers/promises';
import { readRecordedAgent } from '../../client/agent/history';
import { batonRun } from '../../client/agent/run-handle';
import { startRun } from '../../client/agent/start';
import type { AgentTree } from '../../client/delegation/agent-tree';
import { type CallRecord, delegationDepth, fail, reviewers } from '../../testing/scripted-model';
import { type CliContext, CliError, exitCodes } from '../context';
import { asked, eachOnce, type ScriptedStage, showEnd } from './scripted-story';
import { claim, type Claim, runFor } from './stage';

const subjects = ['README.md', 'src/gauge.js', 'src/forecast.js'];
const [, , lockedOut] = subjects;

/**
 * Story: of several delegations, one waits for an operator because the provider refuses its key. The others continue.
 */
export async function parkedStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const before = stage.model.calls.length;
  const input = runFor(stage, 'Have three files reviewed at the same time, then answer with REVIEW.md.');
  stage.play(reviewers({ subjects, ...(lockedOut === undefined ? {} : { lockedOut }) }));
  say('\nA delegation that waits for an operator');

  const { workflowId } = await startRun(stage.client, stage.taskQueue, { ...input, onFailure: 'hold' });
  say(`  run ${input.runId} started: three reviewers, and for one of them the provider refuses the key (401)`);
  const run = batonRun(stage.client, input.runId);
  const tree = await whenOnlyOneWaits(() => run.tree());
  const parked = tree.children.find(({ status }) => status === 'needs operator');
  const done = tree.children.filter(({ status }) => status === 'completed').length;
  say(`  ${done} of them are done, one is waiting: ${parked?.snapshot?.incidents[0]?.message ?? 'no reason given'}`);
  const callsBefore = asked(stage, before).length;
  await run.decide(null, { action: 'retry', by: 'demo', note: 'the key was renewed' });
  say(`  an operator: baton retry ${input.runId}`);
  const { outcome, answer } = await showEnd(context, stage, input.runId);

  const calls = asked(stage, before);
  const refused = calls.filter(({ status }) => status === 401);
  const { children } = await readRecordedAgent(stage.client, workflowId);
  return [
    claim(
      'after the retry, the run ended with all three reviews in its answer',
      outcome.kind === 'completed' && reviewedAll(answer),
    ),
    claim('while one delegation waited, the two others had ended', done === 2 && children.length === 3),
    claim(
      `only the refused call was repeated: ${callsBefore} calls before the retry, none answered twice`,
      refused.length === 1 &&
        eachOnce(calls) &&
        calls.filter(({ digest }) => digest === refused[0]?.digest).length === 2,
    ),
  ];
}

async function whenOnlyOneWaits(readTree: () => Promise<AgentTree>): Promise<AgentTree> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const tree = await readTree();
    const isOver = ({ status }: AgentTree): boolean => status === 'completed' || status === 'needs operator';
    if (tree.children.length === subjects.length && tree.children.every(isOver)) return tree;
    await sleep(100);
  }
  throw new CliError(exitCodes.failed, 'No delegation was waiting for an operator within 30 seconds.');
}

function reviewedAll(answer: string): boolean {
  const file = answer.split('REVIEW.md:\n')[1] ?? '';
  return subjects.every((subject) => file.split(`- ${subject}:`).length === 2);
}

/** Story: a run fails in the middle of its work, and is retried although nobody prepared for that. */
export async function retryStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const before = stage.model.calls.length;
  const input = runFor(stage, 'Have three files reviewed at the same time, and answer with REVIEW.md after that.');
  const script = reviewers({ subjects });
  let isKeyValid = false;
  stage.play((call) => (isKeyValid || delegationDepth(call) > 0 || call.turn === 0 ? script(call) : fail(401)));
  say('\nA run that failed is retried');

  const { workflowId } = await startRun(stage.client, stage.taskQueue, input);
  const run = batonRun(stage.client, input.runId);
  const failed = await run.result();
  const callsBefore = asked(stage, before).length;
  say(`  run ${input.runId} ${failed.kind} after its three delegations: the provider refuses the key (401)`);
  const { commands } = await run.why();
  isKeyValid = true;
  await run.retry(null, { by: 'demo', note: 'the key was renewed' });
  say(`  an operator: ${commands[0] ?? ''}`);
  const { outcome, answer } = await showEnd(context, stage, input.runId);

  const calls = asked(stage, before);
  const { children } = await readRecordedAgent(stage.client, workflowId);
  return [
    claim(
      'after the retry, the failed run ended with all three reviews in its answer',
      failed.kind === 'failed' && outcome.kind === 'completed' && reviewedAll(answer),
    ),
    claim('`baton why` had named the command', commands[0] === `baton retry ${input.runId}`),
    claim(
      `no delegation was repeated, and no answer paid for twice: ${callsBefore} calls before the retry, ${calls.length - callsBefore} after it`,
      children.length === 3 && eachOnce(calls) && calls.slice(callsBefore).every(isOfRoot),
    ),
  ];
}

function isOfRoot({ request }: CallRecord): boolean {
  return !JSON.stringify(request.system).includes('**Reason** –');
}
