import type { JSX } from 'preact';
import type { RelayView } from '../../client/view/run-view';
import { StateBadge } from '../components/state-badge';
import { AgentLink } from '../conversation/delegation-line';
import { agentHref, followLink } from '../state/place';
import type { RunState } from '../state/run-state';
import { withoutInvisible } from '../text/invisible';

type Step = RelayView['steps'][number];

/** The steps of a relay, with their agents, rounds and outputs. */
export function StepsTab({ run }: { readonly run: RunState }): JSX.Element | null {
  const relay = run.relay.value;
  if (relay === null) return null;
  return (
    <div class="steps">
      <p class="steps-title">
        relay <strong>{withoutInvisible(relay.name)}</strong>
        <span class="muted"> · goal: {withoutInvisible(run.run.value.goal)}</span>
      </p>
      <ol class="step-list">
        {relay.steps.map((step) => (
          <StepCard key={step.id} run={run} step={step} />
        ))}
      </ol>
    </div>
  );
}

/** Most agents of a step that are listed. */
const shownAgents = 20;

function StepCard({ run, step }: { readonly run: RunState; readonly step: Step }): JSX.Element {
  return (
    <li class={`step step-${step.state.replace(' ', '-')}`}>
      <header class="step-header">
        <h3>{withoutInvisible(step.id)}</h3>
        <StateBadge state={step.state} />
        {step.items !== null && (
          <span>
            {step.items.done} of {step.items.of} items
          </span>
        )}
        {step.round > 1 && <span class="tag">round {step.round}</span>}
      </header>
      {step.agents.slice(-shownAgents).map((path) => (
        <AgentLink key={path} run={run.runId} path={path} />
      ))}
      {step.agents.length > shownAgents && (
        <p class="muted">{step.agents.length - shownAgents} earlier agents are in the tree.</p>
      )}
      {step.outputs.length > 0 && (
        <p class="step-outputs">
          {step.outputs.map((name) => (
            <a
              key={name}
              href={agentHref(run.runId, '', { tab: 'artifacts', f: name })}
              onClick={followLink}
              class="mono"
            >
              {withoutInvisible(name)}
            </a>
          ))}
        </p>
      )}
    </li>
  );
}
