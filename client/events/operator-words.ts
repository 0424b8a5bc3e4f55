import { count } from '../format';
import type { OperatorEvent, WorkEvent } from './record';

export function operatorWords(event: OperatorEvent): string {
  switch (event.kind) {
    case 'agent.parked':
      return `needs an operator: ${event.incident}, ${event.step}, ${event.type}: ${event.message}`;
    case 'agent.answered':
      return `operator: ${event.action} ${event.incident}${said(event)}`;
    case 'agent.unanswered':
      return `no operator answered ${event.incident} in time`;
    case 'agent.steered':
      return `operator: steer${said({ by: event.by, note: event.text })}`;
    default: {
      const what = event.kind === 'agent.paused' ? 'pause' : 'resume';
      return event.by === null ? `${what}d by the agent above` : `operator: ${what}${said({ ...event, by: event.by })}`;
    }
  }
}

function said({ by, note }: { readonly by: string; readonly note: string }): string {
  return `${by === '' ? '' : ` (${by})`}${note === '' ? '' : `: ${note}`}`;
}

type LimitEvent = Exclude<WorkEvent, { kind: 'turn' | 'tool' }>;

/** What is neither a turn nor a tool: a limit was reached, a form was not kept, tools were changed. */
export function workWords(event: LimitEvent): string {
  switch (event.kind) {
    case 'turn.withheld':
      return `turn ${event.turn}: not asked (${event.reason}): ${event.message}`;
    case 'answer.refused':
      return `answer not in the form that was asked for: ${event.violation}`;
    case 'handoff.refused':
      return `handoff not in the form that was asked for: ${event.violation}`;
    case 'agent.handedOver':
      return `handed over (${event.handoff}): ${event.artifact}, ${count(event.artifactTokens)} tokens`;
    case 'tools.changed':
      return `tools: ${toolWords(event)}`;
  }
}

function toolWords({ granted, revoked, refused }: Extract<LimitEvent, { kind: 'tools.changed' }>): string {
  const groups: [string, readonly string[]][] = [
    ['granted', granted],
    ['revoked', revoked],
    ['not granted, since the root does not have it', refused],
  ];
  const told = groups.flatMap(([what, names]) => (names.length === 0 ? [] : [`${what} ${names.join(', ')}`]));
  return told.join('; ') || 'nothing changed';
}
