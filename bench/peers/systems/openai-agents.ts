// @temporalio/openai-agents: an agent is a workflow that runs an Agent of the OpenAI Agents SDK.
import { OpenAIProvider } from '@openai/agents-openai';
import { OpenAIAgentsPlugin } from '@temporalio/openai-agents';
import type { Place, System } from '../system';
import { openTemporal } from './temporal';

export function open(place: Place): Promise<System> {
  const modelProvider = new OpenAIProvider({ apiKey: 'scripted', baseURL: place.model.chat, useResponses: false });
  return openTemporal(place, {
    taskQueue: 'openai-agents',
    workflowsPath: require.resolve('./openai-agents-workflows'),
    // The time limit of the plugin's quick start. Until then a call whose worker has died is not repeated.
    plugin: new OpenAIAgentsPlugin({ modelProvider, modelParams: { startToCloseTimeout: '30s' } }),
  });
}
