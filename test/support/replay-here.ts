import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';

type Creator = Awaited<ReturnType<typeof ReusableVMWorkflowCreator.create>>;

/**
 * Prepares this thread, in which the SDK runs the workflows that a test replays. The SDK is the same for all test files of
 * a process, so the first one prepares it. What is left out decides nothing:
 *
 * - The place where each promise was created, for a query that nobody sends to a replay. The SDK would also note it later, for
 *   every other promise of the process.
 * - The limit on the time of a call, which is 49 days in this thread. For any limit, Node.js starts a thread per call.
 * - Loading the same workflow code again for each replay. Workflows in it are separate, as in a worker.
 */
export function prepareReplays(): void {
  if (Object.hasOwn(globalHandlers, 'setPromiseHook')) return;
  Object.assign(globalHandlers, { setPromiseHook: () => undefined });
  const create = ReusableVMWorkflowCreator.create.bind(ReusableVMWorkflowCreator);
  let last: { readonly code: string; readonly creator: Promise<Creator> } | undefined;
  ReusableVMWorkflowCreator.create = ((bundle, _limit, names) => {
    if (last?.code !== bundle.code) {
      const creator = create(bundle, undefined as unknown as number, names).then(kept);
      last = { code: bundle.code, creator };
    }
    return last.creator;
  }) as typeof ReusableVMWorkflowCreator.create;
}

/** The end of one replay must not end the workflow code that the next one uses. */
function kept(creator: Creator): Creator {
  creator.destroy = () => Promise.resolve();
  return creator;
}
