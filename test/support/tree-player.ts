import type { Script, ScriptedCall } from '../../testing/scripted-model';
import { byDepth, depthOf } from './delegation-script';
import type { Harness, RunHandle, RunWishes } from './harness';

interface Play {
  readonly handle: RunHandle;
  /** All calls to the model, of every agent of the tree. */
  readonly asked: ScriptedCall[];
}

export interface TreePlayer {
  /** Starts a run whose levels are played by these scripts, the root's first. */
  play(scripts: readonly Script[], wishes?: RunWishes): Promise<Play>;
  /** The tool result of the root's first delegation. */
  told(asked: readonly ScriptedCall[]): { readonly text: string; readonly isError: boolean };
  /** Workflow ids of the run's children, in the order in which they were started. */
  childrenOf(handle: RunHandle): Promise<string[]>;
}

export function treePlayer(harness: () => Harness, tool: string): TreePlayer {
  return {
    async play(scripts, wishes = {}) {
      const asked: ScriptedCall[] = [];
      harness().model.setScript((call) => {
        asked.push(call);
        return byDepth(...scripts)(call);
      });
      return { handle: await harness().startRun(wishes), asked };
    },
    told(asked) {
      const call = asked.filter((one) => depthOf(one) === 0).at(-1);
      return call?.toolExchanges.find(({ name }) => name === tool)?.result ?? { text: 'nothing', isError: true };
    },
    async childrenOf(handle) {
      const { events } = await handle.fetchHistory();
      return (events ?? []).flatMap(
        ({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => child?.workflowId ?? [],
      );
    },
  };
}
