import type { Client } from '@temporalio/client';
import { InvalidInputError } from '../../domain/errors';
import { operatorDecisionSchema, type OperatorDecision } from '../../domain/operator/decision';
import type { DecisionRecord, Incident } from '../../domain/operator/incident';
import { operatorDecisionUpdate } from '../../workflows/messages';
import { targetOf } from '../agents/agent-id';
import { CliError, exitCodes } from '../cli';
import { agentSnapshot } from '../run-view';
import { answerable, answersTo, commandFor, incidentWords } from './incidents';
import { sendUpdate } from './send-update';

type WithoutIncident<Decision> = Decision extends unknown ? Omit<Decision, 'incident'> : never;
/** A decision whose incident may be left out: then the agent must have exactly one that it can answer. */
export type Decision = WithoutIncident<OperatorDecision> & { readonly incident?: string };

const patienceMs = 10_000;

/** Answers an incident of one agent; `about` narrows the choice to incidents that are about that delegation of it. */
export async function decide(
  client: Client,
  workflowId: string,
  decision: Decision,
  about?: string,
): Promise<DecisionRecord> {
  const { action } = decision;
  const incident = decision.incident ?? oneOf(workflowId, action, await incidentsOf(client, workflowId), about);
  return sendUpdate(client, workflowId, operatorDecisionUpdate, checked({ ...decision, incident }));
}

/** What waits for an operator at this agent. */
export async function incidentsOf(client: Client, workflowId: string): Promise<readonly Incident[]> {
  const snapshot = await agentSnapshot(client, workflowId, patienceMs);
  if (snapshot !== undefined) return snapshot.incidents;
  throw new CliError(
    exitCodes.unavailable,
    `No worker answered for ${targetOf(workflowId)}.`,
    'Start one with: baton worker',
  );
}

function oneOf(
  workflowId: string,
  action: OperatorDecision['action'],
  incidents: readonly Incident[],
  about: string | undefined,
): string {
  const fitting = answerable(incidents, action, about);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only.id;
  const target = targetOf(workflowId);
  if (fitting.length > 1) {
    const list = fitting.map((one) => `  ${incidentWords(one)}\n    ${commandFor(action, workflowId, one.id)}`);
    throw new CliError(
      exitCodes.misused,
      `${target} has ${fitting.length} incidents:\n${list.join('\n')}`,
      'Choose one.',
    );
  }
  const [other] = incidents;
  if (other === undefined) throw new NothingToDecide(target);
  const answers = answersTo({ workflowId, incident: other }).join('\n  ');
  throw new CliError(
    exitCodes.misused,
    `${target} has no incident that "${action}" answers. It has ${incidentWords(other)}`,
    `Answer it with one of:\n  ${answers}`,
  );
}

/** Told apart, because something below the agent may wait instead. */
export class NothingToDecide extends CliError {
  constructor(target: string) {
    super(
      exitCodes.failed,
      `Nothing waits for an operator in ${target}.`,
      `See where it stands with: baton why ${target}`,
    );
  }
}

function checked(decision: unknown): OperatorDecision {
  const parsed = operatorDecisionSchema.safeParse(decision);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new InvalidInputError(
    issue === undefined || issue.path.length === 0 ? 'decision' : issue.path.join('.'),
    issue?.message ?? 'is invalid',
    'Correct it and decide again.',
  );
}
