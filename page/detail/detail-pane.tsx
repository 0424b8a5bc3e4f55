import { useSignal } from '@preact/signals';
import type { JSX, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { AgentRow } from '../../client/view/run-view';
import { conversationOf } from '../conversation/conversation-state';
import { Conversation } from '../conversation/conversation';
import { InlineIncident } from '../incident/inline-incident';
import { IncidentCard } from '../incident/incident-card';
import { useIncidents } from '../incident/seen-incidents';
import { Missing } from '../shell/problem';
import type { AgentParams } from '../state/address';
import { place } from '../state/place';
import type { RunState } from '../state/run-state';
import { selectedPath, shownRun } from '../state/session';
import { AgentHeader } from './agent-header';
import { ArtifactsTab } from './artifacts-tab';
import { BudgetTab } from './budget-tab';
import { EventsTab } from './events-tab';
import { FilesTab } from './files-tab';
import { PromptTab } from './prompt-tab';
import { StepsTab } from './steps-tab';
import { chosenTab, type TabName, Tabs, tabsOf } from './tabs';
import '../conversation/conversation.css';
import '../incident/incident.css';
import '../text/text.css';
import './detail.css';
import './tabs.css';

/** Everything about the selected agent: what it needs, and its tabs. */
export function DetailPane(): VNode | null {
  const run = shownRun.value;
  const agent = run?.agent(selectedPath.value)?.value;
  if (run === undefined || agent === undefined) return null;
  const params = place.value.page === 'run' ? place.value.params : {};
  return <AgentDetail key={`${run.runId}/${agent.path}`} run={run} agent={agent} params={params} />;
}

interface AgentDetailProps {
  readonly run: RunState;
  readonly agent: AgentRow;
  readonly params: AgentParams;
}

function AgentDetail({ run, agent, params }: AgentDetailProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  const tabs = tabsOf(agent, run.relay.value);
  const tab = chosenTab(params.tab, tabs);
  const incidents = useIncidents(run, agent.path);
  const isMissing = useSignal(false);
  useEffect(() => {
    // Only when the place is opened: an incident that is answered later was there.
    isMissing.value = params.i !== undefined && !incidents.some(({ incident }) => incident.id === params.i);
  }, [params.i]);
  useEffect(() => {
    // A click or the Enter key moves the focus here; arrow keys leave it where it is.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <section class="detail" aria-label="Agent">
      <AgentHeader run={run} agent={agent} heading={heading} />
      {isMissing.value && <Missing what={`open incident ${params.i ?? ''}`} />}
      {incidents.length > 0 && (
        <div class="incidents">
          {incidents.map(({ incident, isOpen }) => (
            <IncidentCard
              key={incident.id}
              run={run.runId}
              incident={incident}
              agent={agent}
              isOpen={isOpen}
              isTarget={params.i === incident.id}
            />
          ))}
        </div>
      )}
      <Tabs tabs={tabs} chosen={tab} />
      <div class={`tab-panel tab-${tab}`} role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`}>
        <Panel tab={tab} run={run} agent={agent} params={params} />
      </div>
    </section>
  );
}

interface PanelProps extends AgentDetailProps {
  readonly tab: TabName;
}

function Panel({ tab, run, agent, params }: PanelProps): JSX.Element | null {
  const { runId } = run;
  switch (tab) {
    case 'conversation':
      return (
        <Conversation state={conversationOf(runId, agent.path)} agent={agent} params={params}>
          {run.incidents.value
            .filter(({ path }) => path === agent.path)
            .map((incident) => (
              <InlineIncident key={incident.id} run={runId} incident={incident} />
            ))}
        </Conversation>
      );
    case 'steps':
      return <StepsTab run={run} />;
    case 'prompt':
      return <PromptTab run={runId} path={agent.path} section={params.s} />;
    case 'files':
      return <FilesTab run={runId} path={agent.path} file={params.f} />;
    case 'artifacts':
      return <ArtifactsTab run={runId} path={agent.path} file={params.f} />;
    case 'budget':
      return <BudgetTab run={run} agent={agent} />;
    case 'events':
      return <EventsTab run={runId} path={agent.path} />;
  }
}
