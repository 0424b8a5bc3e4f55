import { TemporalProvider } from '@temporalio/ai-sdk/workflow';
import { executeChild, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import type { NoiseInput } from '../work';

// The plugin's default is ten minutes, during which a call whose worker has died is not repeated.
const provider = new TemporalProvider({ languageModel: { startToCloseTimeout: '30 seconds' } });
const { make_noise: makeNoise } = proxyActivities<{ make_noise(input: NoiseInput): Promise<string> }>({
  startToCloseTimeout: '10 seconds',
});

export async function agent(goal: string): Promise<string> {
  const { text } = await generateText({
    model: provider.languageModel('claude-sonnet-5-5'),
    system: goal,
    prompt: 'Begin.',
    tools: {
      make_noise: tool({
        description: 'Returns a long text.',
        inputSchema: jsonSchema<NoiseInput>({
          type: 'object',
          properties: { seed: { type: 'integer' }, bytes: { type: 'integer' }, waits: { type: 'boolean' } },
          required: ['seed', 'bytes', 'waits'],
          additionalProperties: false,
        }),
        execute: (input) => makeNoise(input),
      }),
    },
    stopWhen: isStepCount(10_000),
  });
  return text;
}

export async function parent(goals: readonly string[]): Promise<readonly string[]> {
  const { workflowId } = workflowInfo();
  return Promise.all(
    goals.map((goal, index) => executeChild(agent, { workflowId: `${workflowId}/${index}`, args: [goal] })),
  );
}
