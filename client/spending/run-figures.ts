import type { Client } from '@temporalio/client';
import type { RunStore } from '../../domain/store';
import { figuresIn, PaidCallReader } from '../../store/paid-calls';
import type { TreeNode } from '../delegation/tree-node';
import { type AskStatus, type RunFigures, ServerFigures } from './server-figures';

export type { RunFigures };

/** Where the figures of a run are read. */
export interface FigureSources {
  readonly client: Client;
  /** Opens the store of the run's workers. Default: only the server is asked. */
  readonly openStore?: (() => Promise<RunStore>) | undefined;
}

/**
 * Reads what the agents of a run have consumed: two figures for each, its own and with delegations, in whatever state it
 * is. Every command, the report, the page and the library get them here.
 *
 * The journal of the store has every answer that a provider gave, so it is read if it can be. Otherwise the server is
 * asked: results and failures of agents that ended by themselves, a worker for those at work, and the histories of all
 * others. Keep one reader and call `read` again: what was read is not read a second time.
 *
 * @example
 * const figures = await new FiguresReader({ client, openStore }).read(() => readTree(client, 'run/licenses-7'));
 * const { own, withDelegations } = figures.of('run/licenses-7');
 */
export class FiguresReader {
  private journal: Promise<PaidCallReader | undefined> | undefined;
  private readonly server: ServerFigures;

  constructor(private readonly sources: FigureSources) {
    this.server = new ServerFigures(sources.client);
  }

  /**
   * Reads the figures as they are now. `tree` reads the run's tree, or the part of it that is needed, and `ask` the status
   * of a running agent. They are called only if the store can't be read.
   */
  async read(tree: () => TreeNode | Promise<TreeNode>, ask?: AskStatus): Promise<RunFigures> {
    return (await this.readStored()) ?? this.server.read(await tree(), ask);
  }

  /** Reads the figures from the store alone, without a request to the server. Undefined if it can't be read here. */
  async readStored(): Promise<RunFigures | undefined> {
    this.journal ??= this.openJournal();
    const stored = await (await this.journal)?.read().catch(() => undefined);
    return stored && { of: (workflowId) => figuresIn(stored, workflowId) };
  }

  private async openJournal(): Promise<PaidCallReader | undefined> {
    const store = await this.sources.openStore?.().catch(() => undefined);
    return store && new PaidCallReader(store);
  }
}
