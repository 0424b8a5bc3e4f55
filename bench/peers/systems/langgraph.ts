// LangChain's createAgent on LangGraph. A run is a thread, and so is each child: this agent has no delegation of its own,
// so the program starts them.
import { createAgent } from 'langchain';
import type { Place, System } from '../system';
import { childGoals } from '../work';
import { beginning, openParts, threadOf } from './langchain';

export function open(place: Place): Promise<System> {
  const { model, tools, checkpointer, ...rest } = openParts(place);
  const invoke = async (id: string, systemPrompt: string, input: typeof beginning | null): Promise<void> => {
    const agent = createAgent({ model, tools, checkpointer, systemPrompt });
    await agent.invoke(input, threadOf(id));
  };
  return Promise.resolve({
    ...rest,
    run: (id, goal) => invoke(id, goal, beginning),
    async delegate(id, children) {
      await Promise.all(childGoals(children).map((goal, index) => invoke(`${id}/${index}`, goal, beginning)));
    },
    // Without an input, a thread continues from its last checkpoint.
    finish: (id, goal) => invoke(id, goal, null),
  });
}
