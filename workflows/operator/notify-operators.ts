import { CancellationScope, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import type { AgentSettings } from '../../domain/agent';
import type { Incident, NotifySettings } from '../../domain/operator';
import { notifyOptions } from '../../temporal-config/activity-options';
import { activityOptions } from '../agent/agent';

/**
 * Announces an incident to the address of the run. The agent does not wait for it, and no failure of it reaches the
 * agent. The returned function stops announcing an incident that is closed.
 */
export function notifyOperators(
  settings: AgentSettings,
  to: NotifySettings,
  { call: _call, ...incident }: Incident,
): () => void {
  const { workflowId: agent } = workflowInfo();
  const options = activityOptions(notifyOptions, settings, `announce ${incident.id}`);
  const scope = new CancellationScope();
  void scope
    .run(() => proxyActivities<AgentActivities>(options).notifyOperators({ to, agent, incident }))
    .catch(() => undefined);
  return () => {
    scope.cancel();
  };
}
