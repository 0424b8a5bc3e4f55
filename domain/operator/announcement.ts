import { displayId, owningRunId } from '../kernel';
import { answerCommands } from './answer-commands';
import type { Incident } from './contract';

/** An open incident, as it is announced to people who don't watch the run. */
export interface Announcement {
  readonly run: string;
  /** `<run>` or `<run>/<delegation>/…`. */
  readonly agent: string;
  readonly incident: Omit<Incident, 'call'>;
  /** Commands that answer it, ready to copy. */
  readonly commands: readonly string[];
}

/** Describes an incident of an agent for an announcement. The arguments of a call are left out: they may be secret. */
export function announcementOf(workflowId: string, { call: _call, ...opened }: Incident): Announcement {
  const { kind, tool } = opened;
  // The message of an approval begins with the arguments.
  const incident =
    kind === 'approval' ? { ...opened, message: `The agent wants to call ${tool ?? 'a tool'}.` } : opened;
  return {
    run: owningRunId(workflowId),
    agent: displayId(workflowId),
    incident,
    commands: answerCommands(workflowId, incident),
  };
}
