import { startRelay } from '../../client/agent/start';
import { loadRelays, shippedRelays } from '../../definitions/relay/load-relays';
import { loadSkills } from '../../definitions/skill/load-skills';
import { relayWorkflowContract } from '../../domain/relay';
import { feature, researchAsides, skillOpenings, testCommand } from '../../testing/scripted-model';
import { describeSandbox, type Sandbox } from '../../temporal-config/sandbox';
import { filesQuery } from '../../workflows/messages';
import type { CliContext } from '../context';
import { asked, type ScriptedStage, showEnd, wordsOf } from './scripted-story';
import { claim, type Claim, runFor } from './stage';

/** Story: a chain of skills from a goal to verified files, in which the first verification fails. */
export async function relayStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const before = stage.model.calls.length;
  const { relay } = (await loadRelays([shippedRelays()], await loadSkills(stage.workspace))).get('feature');
  const input = runFor(stage, 'Warn the harbour master when the water will be too low.');
  stage.play(feature());
  say('\nA relay: research, plan, execute, verify');

  const commands = { safeToRepeat: [testCommand] };
  const { workflowId } = await startRelay(stage.client, stage.taskQueue, { ...input, relay, commands });
  say(
    `  relay ${input.runId} started: ${relay.steps.map(({ name }) => name).join(', ')}; what fails verification is repeated`,
  );
  say(`  the verifier runs the tests of the sample project (${testCommand}) ${placeOf(stage.sandbox)}`);
  const { outcome, answer } = await showEnd(context, stage, input.runId);
  const steps =
    outcome.kind === 'completed' ? (relayWorkflowContract.result.safeParse(outcome.result).data?.steps ?? []) : [];
  if (steps.length > 0) say(`  rounds: ${steps.map(({ name, rounds }) => `${name} ${rounds}`).join(', ')}`);

  const calls = asked(stage, before).map(wordsOf);
  const executors = calls.filter((text) => text.includes(skillOpenings.executor));
  const { workspace } = await stage.client.workflow.getHandle(workflowId).query(filesQuery);
  return [
    claim('the relay ended with a verification that passed', answer.includes('"verdict":"pass"')),
    ...roundClaims(steps, calls),
    claim(
      "executors saw the plan and the findings, and nothing of the researcher's conversation",
      executors.length > 0 &&
        executors.every((text) => text.includes('mission_protocol') && !text.includes(researchAsides)) &&
        executors.some((text) => text.includes('A missing height counts as 0 cm')),
    ),
    claim(
      'their changes are in the files of the relay, for `baton diff` and `baton apply`',
      workspace !== null && (workspace.changes.length > 0 || workspace.root.hash !== workspace.base.hash),
    ),
  ];
}

/** Claims about the two rounds of execution and verification. */
function roundClaims(
  steps: readonly { readonly name: string; readonly rounds: number }[],
  calls: readonly string[],
): Claim[] {
  return [
    claim(
      'the verification that failed sent it back once: execution ran twice, research and plan once',
      ['research 1', 'plan 1', 'execute 2', 'verify 2'].every((expected) =>
        steps.some(({ name, rounds }) => `${name} ${rounds}` === expected),
      ),
    ),
    claim(
      'the verifier ran the tests: they failed, and passed after the second execution',
      ['Exit code 1 ', 'Exit code 0 '].every((end) => calls.some((text) => text.includes(end))),
    ),
  ];
}

function placeOf(sandbox: Sandbox): string {
  return sandbox.kind === 'unsafe'
    ? 'without a sandbox, because this machine has none'
    : `in a sandbox: ${describeSandbox(sandbox)}`;
}
