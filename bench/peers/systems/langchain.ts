// What createAgent and deepagents share: the model, the tool and the SQLite checkpointer, with their defaults.
import { ChatAnthropic } from '@langchain/anthropic';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { tool } from 'langchain';
import { join } from 'node:path';
import type { Place, System } from '../system';
import { makeNoise, type NoiseInput, noiseTool } from '../work';

/** What begins a run. Its goal is the system prompt. */
export const beginning = { messages: [{ role: 'user', content: 'Begin.' }] };

/** The configuration of a thread. By default a run ends after a number of steps, which long runs exceed. */
export function threadOf(id: string): { configurable: { thread_id: string }; recursionLimit: number } {
  return { configurable: { thread_id: id }, recursionLimit: 100_000 };
}

interface Parts extends Pick<System, 'stored' | 'close'> {
  readonly model: ChatAnthropic;
  readonly tools: StructuredToolInterface[];
  readonly checkpointer: SqliteSaver;
}

export function openParts({ model: { messages, name }, folder }: Place): Parts {
  const checkpointer = SqliteSaver.fromConnString(join(folder, 'checkpoints.sqlite'));
  const sum = (columns: string, table: string, id: string): number => {
    const lengths = columns.split(' ').map((column) => `coalesce(length(${column}), 0)`);
    const query = `SELECT coalesce(sum(${lengths.join(' + ')}), 0) AS bytes FROM ${table} WHERE thread_id = ?`;
    return (checkpointer.db.prepare(query).get(id) as { bytes: number }).bytes;
  };
  return {
    model: new ChatAnthropic({ model: name, apiKey: 'scripted', anthropicApiUrl: messages }),
    tools: [
      tool((input) => makeNoise(input as NoiseInput, folder), {
        name: noiseTool.name,
        description: noiseTool.description,
        schema: noiseTool.parameters,
      }),
    ],
    checkpointer,
    stored: (id) =>
      Promise.resolve({
        checkpoints: sum('checkpoint metadata', 'checkpoints', id),
        writes: sum('value', 'writes', id),
      }),
    close: () => {
      checkpointer.db.close();
      return Promise.resolve();
    },
  };
}
