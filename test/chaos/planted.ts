import type { Client } from '@temporalio/client';
import type { RunStore, Store } from '../../domain/store';
import { lookAt } from './checks/look';
import { auditIsClean, everyHistoryReplays } from './checks/records';
import { sameAnswer, sameFiles } from './checks/results';
import { everyWriteOnce } from './checks/writes';
import type { Round } from './round';
import type { ChaosSession } from './session/session';
import { Expected } from './tree/expected';
import type { AgentPlan, ToolUse } from './tree/plan';

const use = (tool: string, input: ToolUse['input']): ToolUse => ({ tool, input, outcome: 'ok' });

/** What the run of a good round never did. A plan that contains it makes everything of it look lost. */
const undone: readonly ToolUse[] = [
  use('add_note', { text: 'planted note' }),
  use('add_plan_steps', { steps: ['planted step'] }),
  use('write_file', { path: 'planted.md' }),
  use('write_artifact', { name: 'planted.txt' }),
];

/** What the checks that need a server find after a good round if its plan, its prompts or its histories were others. */
export async function plantedViolations(round: Round): Promise<Record<string, string[]>> {
  const aftermath = await lookAt(round);
  const root: AgentPlan = { ...round.tree.root, steps: [...round.tree.root.steps, undone] };
  const planned = {
    ...aftermath,
    round: changed(round, { tree: { ...round.tree, root } }),
    expected: new Expected(root),
  };
  const { session } = round;
  const inSession = (change: Partial<ChaosSession>) => ({
    ...aftermath,
    round: changed(round, { session: { ...session, ...change } }),
  });
  return {
    answer: await sameAnswer(planned),
    files: await sameFiles(planned),
    writes: await everyWriteOnce(planned),
    audit: await auditIsClean(inSession({ store: withOtherPrompts(session.store) })),
    replay: await everyHistoryReplays(inSession({ client: withOtherHistories(session.client) })),
  };
}

function changed<T extends object>(value: T, change: Partial<T>): T {
  return new Proxy(value, {
    get: (target, name): unknown => (name in change ? change[name as keyof T] : Reflect.get(target, name, target)),
  });
}

/** Returns a store that adds one more word to every prompt that is read from it. */
function withOtherPrompts(store: Store): Store {
  const tampered = (run: RunStore): RunStore => {
    const get: RunStore['get'] = async (ref, what) => {
      const bytes = await run.get(ref, what);
      return ref.mediaType === 'text/markdown' ? Buffer.concat([bytes, Buffer.from(' planted')]) : bytes;
    };
    return changed(run, { get });
  };
  return changed(store, { forRun: (runId) => tampered(store.forRun(runId)) });
}

/** Returns a client that reads histories in which the first activity has another name. */
function withOtherHistories(client: Client): Client {
  const getHandle: Client['workflow']['getHandle'] = (...args) => {
    const handle = client.workflow.getHandle(...args);
    return changed(handle, {
      fetchHistory: async () => {
        const history = await handle.fetchHistory();
        const first = history.events?.find((event) => event.activityTaskScheduledEventAttributes);
        const scheduled = first?.activityTaskScheduledEventAttributes;
        if (scheduled) scheduled.activityType = { name: 'planted' };
        return history;
      },
    });
  };
  return changed(client, { workflow: changed(client.workflow, { getHandle }) });
}
