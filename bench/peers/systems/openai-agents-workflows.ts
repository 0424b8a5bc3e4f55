import { Agent } from '@openai/agents-core';
import { activityAsTool, TemporalOpenAIRunner } from '@temporalio/openai-agents/workflow';
import { executeChild, workflowInfo } from '@temporalio/workflow';
import type { NoiseInput } from '../work';

const makeNoise = activityAsTool<(input: NoiseInput) => Promise<string>>(
  {
    name: 'make_noise',
    description: 'Returns a long text.',
    parameters: {
      type: 'object',
      properties: { seed: { type: 'integer' }, bytes: { type: 'integer' }, waits: { type: 'boolean' } },
      required: ['seed', 'bytes', 'waits'],
      additionalProperties: false,
    },
  },
  { startToCloseTimeout: '10s' },
);

export async function agent(goal: string): Promise<string> {
  const worker = new Agent({ name: 'Agent', instructions: goal, model: 'claude-sonnet-5-5', tools: [makeNoise] });
  const { finalOutput } = await new TemporalOpenAIRunner().run(worker, 'Begin.', { maxTurns: 10_000 });
  return finalOutput ?? '';
}

export async function parent(goals: readonly string[]): Promise<readonly string[]> {
  const { workflowId } = workflowInfo();
  return Promise.all(
    goals.map((goal, index) => executeChild(agent, { workflowId: `${workflowId}/${index}`, args: [goal] })),
  );
}
