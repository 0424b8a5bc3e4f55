import type { RelayDefinition } from '../../domain/relay';
import type { Script } from '../../scripted-model';
import type { Harness, HarnessOptions, RunHandle, RunWishes } from '../support/harness';

export interface Scenario {
  readonly name: string;
  readonly script: Script;
  readonly wishes?: RunWishes;
  readonly options?: HarnessOptions;
  /** Started in place of an agent. */
  readonly relay?: () => RelayDefinition;
  /** What is done to the run while it goes on. */
  meddle?(harness: Harness, handle: RunHandle): Promise<unknown>;
}
