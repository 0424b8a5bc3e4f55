// deepagents, whose agents delegate with a tool of their own: the children run inside of the parent's process and thread.
import { createDeepAgent } from 'deepagents';
import type { Place, System } from '../system';
import { delegationGoal } from '../work';
import { beginning, openParts, threadOf } from './langchain';

export function open(place: Place): Promise<System> {
  const { model, tools, checkpointer, ...rest } = openParts(place);
  const invoke = async (id: string, systemPrompt: string, input: typeof beginning | null): Promise<void> => {
    const agent = createDeepAgent({ model, tools, checkpointer, systemPrompt });
    await agent.invoke(input, threadOf(id));
  };
  return Promise.resolve({
    ...rest,
    run: (id, goal) => invoke(id, goal, beginning),
    delegate: (id, children) => invoke(id, delegationGoal(children), beginning),
    // Without an input, a thread continues from its last checkpoint.
    finish: (id, goal) => invoke(id, goal, null),
  });
}
