import type { RelayDefinition } from '../../domain/relay';
import type { Script } from '../../testing/scripted-model';
import type { Harness, HarnessOptions, RunHandle, RunWishes } from '../support/harness';

export interface Scenario {
  readonly name: string;
  readonly script: Script;
  readonly wishes?: RunWishes;
  readonly options?: HarnessOptions;
  /** Workflow to start instead of an agent. */
  readonly relay?: () => RelayDefinition;
  /** Further workflows that belong to a run of this id, by their ids. */
  others?(runId: string): readonly string[];
  /** Acts on the run while it is in progress. */
  meddle?(harness: Harness, handle: RunHandle): Promise<unknown>;
}
