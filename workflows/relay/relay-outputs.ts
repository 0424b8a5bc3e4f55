import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { LoadedOutputs, OutputNotLoadedError, outputsToStore, type RelayState } from '../../domain/relay';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, storeLocation } from '../agent/agent';

/** The outputs of a relay's steps. Large ones are in the store, and loaded when a later step refers to them. */
export class RelayOutputs {
  private readonly loaded = new LoadedOutputs();

  constructor(private readonly agent: Agent) {}

  /** Computes something from the state, after loading the outputs that this needs. */
  async use<T>(state: RelayState, compute: (state: RelayState) => T): Promise<T> {
    for (;;) {
      try {
        return compute(this.loaded.filled(state));
      } catch (error) {
        if (!(error instanceof OutputNotLoadedError)) throw error;
        const ref = error.stored;
        this.loaded.add(ref, await this.activities().loadOutput({ ...storeLocation(this.agent), ref }));
      }
    }
  }

  /** Stores large outputs. Returns the state with refs to them, which is small enough to be carried over. */
  async store(state: RelayState): Promise<RelayState> {
    for (const values of outputsToStore(this.loaded.compact(state))) {
      this.loaded.add(await this.activities().storeOutput({ ...storeLocation(this.agent), values }), values);
    }
    return this.loaded.compact(state);
  }

  private activities(): AgentActivities {
    return proxyActivities<AgentActivities>(
      activityOptions(shortActivityOptions, this.agent.settings, 'keep an output'),
    );
  }
}
