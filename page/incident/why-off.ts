import type { AgentRow } from '../../client/view/run-view';
import { whyOff } from '../state/connection';
import { hello, shownRun } from '../state/session';

/** Why nothing can be decided about an agent now; null if it can. */
export function reasonOff(agent: AgentRow): string | null {
  const page = whyOff(hello.value?.readOnly ?? false);
  if (page !== null) return page;
  if (agent.state === 'unknown' || shownRun.value?.gaps.value.some(isAboutWorker) === true)
    return 'Nobody answers for the agents. Start a worker: baton worker';
  return null;
}

function isAboutWorker(gap: string): boolean {
  return /\bworker\b/i.test(gap);
}
