import { queryRunStatus } from '../../client/agent/outcome';
import { startRun } from '../../client/agent/start';
import { formatCount, plural } from '../../client/format';
import { totalTokens } from '../../domain/model';
import { longWork, longWorkDecision, longWorkMusing } from '../../testing/scripted-model';
import type { CliContext } from '../context';
import { asked, type ScriptedStage, showEnd, wordsOf } from './scripted-story';
import { claim, type Claim, runFor } from './stage';
import { followWords } from './follow-words';

const smallWindow = 8_000;
/** Pace of an answer that takes more than a second, as those of real models do. */
const spoken = { chunkSize: 20, chunkDelayMs: 150 };

/** Story: an agent whose context window is too small for its work hands off in the middle. */
export async function handoffStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const before = stage.model.calls.length;
  const run = runFor(stage, 'Read every file of the project and say how many there are.');
  const model = { ...run.model, window: smallWindow, maxTokens: 1_000 };
  stage.play(longWork({}, spoken));
  say('\nAn agent whose context window is full');

  await startRun(stage.client, stage.taskQueue, { ...run, model });
  say(
    `  run ${run.runId} started, with a context window of ${formatCount(smallWindow)} tokens; it hands off at 60 % of that`,
  );
  const reading = followWords(context, stage, run.runId);
  const { outcome, answer } = await showEnd(context, stage, run.runId);
  const words = await reading;
  const handoffs = (await queryRunStatus(stage.client, run.runId))?.handoffs ?? [];
  for (const { artifact, discardedTokens, artifactTokens } of handoffs)
    say(
      `  ${artifact}: ${formatCount(discardedTokens)} tokens of conversation replaced by ${formatCount(artifactTokens)}`,
    );

  const calls = asked(stage, before).map(wordsOf);
  const after = calls.filter((text) => text.includes('<handoff number='));
  const last = calls.at(-1) ?? '';
  say(`  every word: baton transcript ${run.runId}`);
  return [
    claim('the run continued after the handoff and ended with an answer', outcome.kind === 'completed'),
    claim(
      `what the agent said can be read: ${plural(words.turns, 'turn')}, before and after the handoff`,
      words.turns === calls.length && words.handoffs === handoffs.length && words.lastText === answer,
    ),
    claim('it was visible while the model said it', words.pictures > 0),
    claim(
      'the new conversation had the recorded decision verbatim, and nothing else of the old one',
      after.length > 0 && last.includes(longWorkDecision) && after[0]?.includes(longWorkMusing) === false,
    ),
    claim('it read only the remaining files: all four are in the answer, each once', namesEachOnce(answer)),
  ];
}

function namesEachOnce(answer: string): boolean {
  const files = ['README.md', 'src/gauge.js', 'src/forecast.js', 'docs/operations.md'];
  return files.every((file) => answer.split(file).length === 2);
}

const tokens = 12_000;

/** Story: a run whose work exceeds its budget is stopped before the call that could exceed it. */
export async function budgetStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const before = stage.model.calls.length;
  const run = runFor(stage, 'Read every file of the project, on a budget.');
  const model = { ...run.model, maxTokens: 1_000 };
  stage.play(longWork());
  say('\nAn agent with a budget');

  await startRun(stage.client, stage.taskQueue, { ...run, model, budget: { tokens } });
  say(`  run ${run.runId} started, with a budget of ${formatCount(tokens)} tokens`);
  const { outcome } = await showEnd(context, stage, run.runId);
  const snapshot = await queryRunStatus(stage.client, run.runId);
  const spent = snapshot === undefined ? 0 : totalTokens(snapshot.spent.usage);
  const calls = asked(stage, before);
  return [
    claim('the run ended with Budget.Exceeded', outcome.kind === 'failed' && outcome.type === 'Budget.Exceeded'),
    claim(
      `it was stopped before the call that would have exceeded the budget: ${formatCount(spent)} of ${formatCount(tokens)} tokens spent`,
      spent > 0 && spent <= tokens && calls.length === snapshot?.turn,
    ),
  ];
}
