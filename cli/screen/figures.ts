import type { Client } from '@temporalio/client';
import { FiguresReader } from '../../client/spending/run-figures';
import type { CliContext } from '../context';

/** Creates the reader of what the agents of a run consumed. It uses the store if this machine has it. */
export function figuresReader(context: CliContext, client: Client, runId: string): FiguresReader {
  return new FiguresReader({ client, openStore: async () => (await context.openStore()).forRun(runId) });
}
