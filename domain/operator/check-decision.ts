import { InvalidInputError } from '../errors';
import { chooseModel } from '../model/known-models';
import { operatorDecisionSchema, type Amendment, type OperatorAction } from './decision';
import type { DecisionRecord, Incident } from './incident';

const answersTo: Readonly<Record<Incident['kind'], readonly OperatorAction[]>> = {
  failure: ['retry', 'amend', 'skip', 'abort'],
  toolRequest: ['approve', 'deny'],
};

/** What is wrong with a decision, in words for the operator; undefined when it can be carried out. */
export function checkDecision(
  value: unknown,
  open: readonly Incident[],
  taken: readonly DecisionRecord[],
): string | undefined {
  const parsed = operatorDecisionSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return `${issue?.path.join('.') || 'decision'}: ${issue?.message ?? 'is invalid'}`;
  }
  const decision = parsed.data;
  const incident = open.find(({ id }) => id === decision.incident);
  if (incident === undefined) return notOpen(decision.incident, open, taken);
  const possible = incident.delegation === null ? answersTo[incident.kind] : answersTo.failure.filter(isForClosed);
  if (!possible.includes(decision.action)) {
    return `action: "${decision.action}" is no answer to incident ${incident.id} (${incident.type}). Use ${possible.join(', ')}.`;
  }
  return decision.action === 'amend' ? checkAmendment(decision.amendment) : undefined;
}

/** A delegation that is gone can't be amended: there is nobody to tell. */
function isForClosed(action: OperatorAction): boolean {
  return action !== 'amend';
}

function notOpen(id: string, open: readonly Incident[], taken: readonly DecisionRecord[]): string {
  const earlier = taken.find(({ incident }) => incident === id);
  if (earlier !== undefined) {
    const who = earlier.by === '' ? '' : ` by ${earlier.by}`;
    return `incident: ${id} was answered already: ${earlier.action}${who} at ${earlier.at}.`;
  }
  if (open.length === 0) return `incident: nothing waits for an operator here, so ${id} cannot be answered.`;
  return `incident: there is no open incident ${id}. Open: ${open.map((one) => `${one.id} (${one.type})`).join(', ')}.`;
}

function checkAmendment({ model }: Amendment): string | undefined {
  if (model === undefined || (model.name === undefined && model.window === undefined)) return undefined;
  try {
    chooseModel({ ...model, maxTokens: model.maxTokens ?? 1 });
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInputError) return `amendment.model.${error.field}: ${error.reason}. ${error.remedy}`;
    throw error;
  }
}

const maxSteeringCharacters = 4_000;
const maxUnheard = 20;

export function checkSteering(value: unknown, unheard: number): string | undefined {
  const { text } = Object(value) as { text?: unknown };
  if (typeof text !== 'string' || text.trim() === '') return 'text: must not be empty.';
  if (text.length > maxSteeringCharacters) return `text: must be at most ${maxSteeringCharacters} characters.`;
  return unheard < maxUnheard ? undefined : `text: ${unheard} messages wait for the agent's next turn already.`;
}
