import { canonicalJson, DomainError, utf8 } from '../kernel';
import type { BlobRef } from '../store';
import type { RelayState, SelectedValues, StepOutput, StoredOutput } from './state';

/**
 * Maximum bytes of a step's output in the relay's state. Larger outputs are in the store. The state of a relay with the
 * maximum of 50 steps then has at most 200 KiB of outputs.
 */
const maxInlineOutputBytes = 4 * 1024;

/** Returns how many items a step's output has. */
export function countItems(output: StepOutput | undefined): number {
  if (output === undefined) return 0;
  return 'stored' in output ? output.items : output.length;
}

/** Thrown when a reference is resolved to an output that is in the store. The caller loads it and tries again. */
export class OutputNotLoadedError extends DomainError {
  readonly type = 'Agent.Failed';

  constructor(readonly stored: BlobRef) {
    super('The output of this step has to be loaded first');
  }
}

/** The outputs that an execution knows the values of, although its state refers to the store. */
export class LoadedOutputs {
  private readonly values = new Map<string, readonly SelectedValues[]>();
  private readonly stored = new Map<readonly SelectedValues[], StoredOutput>();

  /** Adds an output that was stored or loaded. */
  add(ref: BlobRef, values: readonly SelectedValues[]): void {
    this.values.set(ref.hash, values);
    this.stored.set(values, { stored: ref, items: values.length });
  }

  /** Returns the state with all known values in place of refs. */
  filled(state: RelayState): RelayState {
    return withOutputs(state, (output) =>
      'stored' in output ? (this.values.get(output.stored.hash) ?? output) : output,
    );
  }

  /** Returns the state with refs in place of the values that are in the store: its size is bounded. */
  compact(state: RelayState): RelayState {
    return withOutputs(state, (output) => ('stored' in output ? output : (this.stored.get(output) ?? output)));
  }
}

/** Returns the outputs of a compact state that are too large for it. */
export function outputsToStore({ outputs }: RelayState): readonly (readonly SelectedValues[])[] {
  return Object.values(outputs).flatMap((output) =>
    'stored' in output || utf8(canonicalJson(output)).length <= maxInlineOutputBytes ? [] : [output],
  );
}

function withOutputs(state: RelayState, change: (output: StepOutput) => StepOutput): RelayState {
  const outputs = Object.entries(state.outputs).map(([name, output]) => [name, change(output)] as const);
  return { ...state, outputs: Object.fromEntries(outputs) };
}
