import type { AgentRow } from '../../client/view/run-view';
import { whyOff } from '../state/connection';
import { hello, shownRun } from '../state/session';

/** Why nothing can be decided about an agent now; null if it can. */
export function reasonOff(agent: AgentRow): string | null {
  const page = whyOff(hello.value?.readOnly ?? false);
  if (page !== null) return page;
  const gaps = shownRun.value?.gaps.value ?? [];
  if (gaps.some(isAboutServer)) return 'The Temporal server does not answer.';
  if (agent.state === 'unknown' || gaps.some(isAboutWorker))
    return 'Nobody answers for the agents. Start a worker: baton worker';
  return null;
}

function isAboutServer(gap: string): boolean {
  return gap.startsWith('The Temporal server does not answer');
}

function isAboutWorker(gap: string): boolean {
  return /\bworker\b/i.test(gap);
}
