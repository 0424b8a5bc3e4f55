import { parseRelay, type RelayDefinition } from '../../domain/relay';
import { parseSkill, type SkillDefinition } from '../../domain/skill';
import { fail, scriptByTurn, say, useTool, type Script } from '../../testing/scripted-model';
import {
  operatorDecisionUpdate,
  pauseUpdate,
  resumeUpdate,
  snapshotQuery,
  steerUpdate,
} from '../../workflows/messages';
import { byDepth, dispatch } from '../support/delegation-script';
import { handingOver } from '../support/handoffs';
import type { Harness, RunHandle } from '../support/harness';
import { until } from '../support/until';
import type { Scenario } from './scenario';

const look = useTool('list_files', { path: '.' });

/** Refuses every call until the test fixes it. */
function brokenUntilMended(then: Script): { script: Script; mend(): void } {
  let isBroken = true;
  return {
    script: (call) => (isBroken ? fail(401, { message: 'no such key' }) : then(call)),
    mend: () => {
      isBroken = false;
    },
  };
}

async function parkedChild(harness: Harness, { workflowId }: RunHandle): Promise<string> {
  return until(async () => {
    for await (const { workflowId: id } of harness.client.workflow.list({
      query: `BatonStatus = 'needs_operator' AND WorkflowId STARTS_WITH '${workflowId}/'`,
    }))
      return id;
    return undefined;
  });
}

const provider = brokenUntilMended(() => say('Looked.'));

export const parkedAndRetried: Scenario = {
  name: 'parked-and-retried',
  script: byDepth(scriptByTurn(useTool('dispatch_subagent', dispatch()), say('Done.')), provider.script),
  wishes: { onFailure: 'hold' },
  async meddle(harness, handle) {
    const child = harness.client.workflow.getHandle(await parkedChild(harness, handle));
    provider.mend();
    return child.executeUpdate(operatorDecisionUpdate, { args: [{ incident: 'i1', action: 'retry', by: 'somebody' }] });
  },
};

export const pausedAndSteered: Scenario = {
  name: 'paused-and-steered',
  script: ({ lastUserText }) => (lastUserText.includes('Be brief.') ? say('As you wished.') : look),
  async meddle(_, handle) {
    await handle.executeUpdate(pauseUpdate.name, { args: [{}] });
    await until(async () => (await handle.query(snapshotQuery)).paused || undefined);
    await handle.executeUpdate(steerUpdate, { args: [{ text: 'Be brief.' }] });
    return handle.executeUpdate(resumeUpdate.name, { args: [{}] });
  },
};

export const handedOver: Scenario = {
  name: 'handed-over',
  script: handingOver((call) => {
    if (call.firstUserText.includes('<handoff')) return say('Done by the second one.');
    return call.turn < 3
      ? useTool('add_note', { text: `${call.turn} ${'noise '.repeat(150)}`, kind: 'decision' })
      : look;
  }),
  wishes: { model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 8_000 }, handoff: { at: 0.5, max: 2 } },
};

export const beyondBudget: Scenario = {
  name: 'beyond-budget',
  script: byDepth(
    ({ turn }) => (turn === 0 ? useTool('dispatch_subagent', dispatch()) : look),
    scriptByTurn(look, say('Looked.')),
  ),
  wishes: { budget: { turns: 6 } },
};

function skill(name: string, output: SkillDefinition['output']): SkillDefinition {
  const file = { name, description: 'Answers.', systemPrompt: 'Answer.', tools: ['add_note'] };
  const parsed = parseSkill({ ...file, output });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  return parsed.skill;
}

const skills = [skill('lister', { json: { type: 'array', items: { type: 'string' } } }), skill('talker', null)];

export const skillRepaired: Scenario = {
  name: 'skill-repaired',
  options: { skills },
  script: byDepth(
    scriptByTurn(useTool('dispatch_skill', { skill: 'lister', input: { goal: 'Help.' } }), say('Done.')),
    scriptByTurn(say('Here: ["a"]'), say('["a"]')),
  ),
};

function relay(): RelayDefinition {
  const parsed = parseRelay({
    name: 'twice',
    description: 'Lists, then talks about each.',
    steps: [
      { name: 'list', skill: 'lister', input: { goal: { from: 'goal' } } },
      { name: 'talk', skill: 'talker', each: { from: 'steps.list.output' }, input: { goal: { from: 'each' } } },
    ],
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.relay;
}

export const relayed: Scenario = {
  name: 'relay',
  options: { skills },
  relay,
  script: ({ systemText }) => (systemText.includes('Look around.') ? say('["a", "b"]') : say('It is a letter.')),
};
