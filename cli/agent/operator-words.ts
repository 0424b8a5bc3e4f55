import { formatCount } from '../../client/format';
import type { OperatorEvent, WorkEvent } from '../../client/event/record';

/** Describes an event that involves an operator. */
export function describeOperatorEvent(event: OperatorEvent): string {
  switch (event.kind) {
    case 'agent.parked':
      return `needs an operator: ${event.incident}, ${event.step}, ${event.type}: ${event.message}`;
    case 'agent.answered':
      return `operator: ${event.action} ${event.incident}${attribution(event)}`;
    case 'agent.unanswered':
      return `no operator answered ${event.incident} in time`;
    case 'agent.steered':
      return `operator: steer${attribution({ by: event.by, note: event.text })}`;
    default: {
      const what = event.kind === 'agent.paused' ? 'pause' : 'resume';
      return event.by === null
        ? `${what}d by its parent`
        : `operator: ${what}${attribution({ ...event, by: event.by })}`;
    }
  }
}

function attribution({ by, note }: { readonly by: string; readonly note: string }): string {
  return `${by === '' ? '' : ` (${by})`}${note === '' ? '' : `: ${note}`}`;
}

type LimitEvent = Exclude<WorkEvent, { kind: 'turn' | 'tool' }>;

/** Describes an event of an agent's work other than a turn or a tool call. */
export function describeWorkEvent(event: LimitEvent): string {
  switch (event.kind) {
    case 'turn.withheld':
      return `turn ${event.turn}: model call not made (${event.reason}): ${event.message}`;
    case 'answer.refused':
      return `answer refused, wrong output format: ${event.violation}`;
    case 'handoff.refused':
      return `handoff refused, wrong format: ${event.violation}`;
    case 'agent.handedOver':
      return `handed off (${event.handoff}): ${event.artifact}, ${formatCount(event.artifactTokens)} tokens`;
    case 'tools.changed':
      return `tools: ${describeToolChange(event)}`;
  }
}

function describeToolChange({ granted, revoked, refused }: Extract<LimitEvent, { kind: 'tools.changed' }>): string {
  const groups: [string, readonly string[]][] = [
    ['granted', granted],
    ['revoked', revoked],
    ['not granted, because the root does not have it:', refused],
  ];
  const parts = groups.flatMap(([what, names]) => (names.length === 0 ? [] : [`${what} ${names.join(', ')}`]));
  return parts.join('; ') || 'nothing changed';
}
