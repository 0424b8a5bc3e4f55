// @temporalio/ai-sdk: an agent is a workflow that calls generateText of the AI SDK.
import { createAnthropic } from '@ai-sdk/anthropic';
import { AiSdkPlugin } from '@temporalio/ai-sdk';
import type { Place, System } from '../system';
import { openTemporal } from './temporal';

export function open(place: Place): Promise<System> {
  const modelProvider = createAnthropic({ apiKey: 'scripted', baseURL: `${place.model.messages}/v1` });
  return openTemporal(place, {
    taskQueue: 'ai-sdk',
    workflowsPath: require.resolve('./ai-sdk-workflows'),
    plugin: new AiSdkPlugin({ modelProvider }),
  });
}
