import { executeChild, workflowInfo } from '@temporalio/workflow';
import { converseByHand } from './loop';

/** Children that run at the same time, as many as Baton allows by default. */
const parallel = 32;

/** A hand-written parent whose model asks for all children in one call. Each gets no more than its own task. */
export function rawBatch(goal: string): Promise<number> {
  return converseByHand(goal, undefined, async (call) => {
    const { delegations } = call.input as { delegations: readonly { readonly reason: string }[] };
    const answers: string[] = [];
    for (let first = 0; first < delegations.length; first += parallel) {
      const wave = delegations.slice(first, first + parallel).map(({ reason }, index) =>
        executeChild(rawBatchChild, {
          workflowId: `${workflowInfo().workflowId}/${first + index}`,
          args: [`${goal}\n**Reason** – ${reason}`],
        }),
      );
      answers.push(...(await Promise.all(wave)).map((turns) => `Done: ${turns}`));
    }
    return answers.join('\n');
  });
}

/** A child of `rawBatch`. */
export function rawBatchChild(task: string): Promise<number> {
  return converseByHand('Begin.', task, () => Promise.resolve('Done.'));
}
