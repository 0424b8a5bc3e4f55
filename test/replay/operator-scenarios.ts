import { runIdOf } from '../../domain/kernel';
import { parseRelay, type RelayDefinition } from '../../domain/relay';
import { parseSkill, type SkillDefinition } from '../../domain/skill';
import { readTextContract, textsWorkflowContract, textsWorkflowId } from '../../domain/store';
import { fail, scriptByTurn, say, useTool, useTools, type Script } from '../../testing/scripted-model';
import {
  operatorDecisionUpdate,
  pauseUpdate,
  resumeUpdate,
  snapshotQuery,
  steerUpdate,
} from '../../workflows/messages';
import { onPush, publish, publishTool } from '../support/approvals';
import { byDepth, dispatch } from '../support/delegation-script';
import { handingOver } from '../support/handoffs';
import type { Harness, RunHandle } from '../support/harness';
import { operated } from '../support/parked';
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

/** Calls that wait for an operator, who approves one, denies one, and changes one. */
export const approvals: Scenario = {
  name: 'approvals',
  options: { tools: [publishTool().tool] },
  script: scriptByTurn(
    publish('push main'),
    useTools([
      { name: 'publish', input: { command: 'push docs' } },
      { name: 'publish', input: { command: 'push site' } },
    ]),
    say('Published.'),
  ),
  wishes: { approve: [onPush] },
  async meddle({ client }, { workflowId }) {
    const agent = operated(client, workflowId);
    for (const decision of [
      { action: 'approve', incident: 'i1' },
      { action: 'deny', incident: 'i2', note: 'Not today.' },
      { action: 'approve', incident: 'i3', edit: { command: 'push page' } },
    ] as const) {
      await agent.incident(decision.incident);
      await agent.decide(decision);
    }
  },
};

/** Questions that an operator answers: in words, and with one of the options. */
export const questions: Scenario = {
  name: 'questions',
  script: scriptByTurn(
    useTool('ask_operator', { question: 'Which one?' }),
    useTool('ask_operator', { question: 'Which colour?', options: ['Red', 'Blue'] }),
    say('That one.'),
  ),
  wishes: { ask: true },
  async meddle({ client }, { workflowId }) {
    const agent = operated(client, workflowId);
    await agent.incident('i1');
    await agent.decide({ action: 'answer', incident: 'i1', text: 'The left one.' });
    await agent.incident('i2');
    await agent.decide({ action: 'answer', incident: 'i2', text: '2' });
  },
};

/** A client without access to the store reads an answer, and asks for one that does not exist. */
export const texts: Scenario = {
  name: 'texts',
  script: () => say('A long answer. '.repeat(100)),
  others: (runId) => [textsWorkflowId(runId)],
  async meddle({ client, taskQueue }, handle) {
    await handle.result();
    const runId = runIdOf(handle.workflowId)!;
    const texts = client.workflow.getHandle(textsWorkflowId(runId));
    await client.workflow.start(textsWorkflowContract.name, {
      workflowId: texts.workflowId,
      taskQueue,
      args: [{ idleMs: 1_000 }],
    });
    const ask = (request: object): Promise<unknown> => texts.executeUpdate(readTextContract.name, { args: [request] });
    await ask({ of: 'answer' });
    await ask({ of: { hash: '0'.repeat(64), bytes: 1 } }).catch(() => undefined);
    await texts.result();
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
