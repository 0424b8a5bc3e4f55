import { InvalidInputError } from '../errors';
import { chooseModel } from '../model/known-models';
import { operatorDecisionSchema, type Amendment, type OperatorAction } from './decision';
import type { DecisionRecord, Incident } from './incident';

const answersByKind: Readonly<Record<Incident['kind'], readonly OperatorAction[]>> = {
  failure: ['retry', 'amend', 'skip', 'abort'],
  toolRequest: ['approve', 'deny'],
};

/** What can be decided about an incident. A delegation that is gone can't be amended: there is nobody to tell. */
export function actionsFor({ kind, delegation }: Incident): readonly OperatorAction[] {
  return answersByKind[kind].filter((action) => delegation === null || action !== 'amend');
}

/** What an agent's operators are dealing with. */
interface Desk {
  readonly open: readonly Incident[];
  readonly taken: readonly DecisionRecord[];
  /** Words that the model has not been told yet. */
  readonly unheard: readonly string[];
}

/** What is wrong with a decision, in words for the operator; undefined when it can be carried out. */
export function checkDecision(value: unknown, { open, taken, unheard }: Desk): string | undefined {
  const parsed = operatorDecisionSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return `${issue?.path.join('.') || 'decision'}: ${issue?.message ?? 'is invalid'}`;
  }
  const decision = parsed.data;
  const incident = open.find(({ id }) => id === decision.incident);
  if (incident === undefined) return notOpen(decision.incident, open, taken);
  const possible = actionsFor(incident);
  if (!possible.includes(decision.action)) {
    return `action: "${decision.action}" is no answer to incident ${incident.id} (${incident.type}). Use ${possible.join(', ')}.`;
  }
  return decision.action === 'amend' ? checkAmendment(decision.amendment, unheard) : undefined;
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

function checkAmendment(
  { instructions = '', model, tools }: Amendment,
  unheard: readonly string[],
): string | undefined {
  if (instructions.length > roomFor(unheard)) return `amendment.instructions: ${tooMuch(unheard)}`;
  const both = tools?.grant?.find((name) => tools.revoke?.includes(name) === true);
  if (both !== undefined) return `amendment.tools: ${both} cannot be granted and revoked at once.`;
  return model === undefined ? undefined : checkModel(model);
}

function checkModel(model: NonNullable<Amendment['model']>): string | undefined {
  if (model.name === undefined && model.window === undefined) return undefined;
  try {
    chooseModel({ ...model, maxTokens: model.maxTokens ?? 1 });
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInputError) return `amendment.model.${error.field}: ${error.reason}. ${error.remedy}`;
    throw error;
  }
}

/** All that a model is told by operators with one turn: it travels in one payload with the rest of the turn. */
const maxUnheardCharacters = 4_000;

export function checkSteering(value: unknown, unheard: readonly string[]): string | undefined {
  const { text } = Object(value) as { text?: unknown };
  if (typeof text !== 'string' || text.trim() === '') return 'text: must not be empty.';
  return text.length > roomFor(unheard) ? `text: ${tooMuch(unheard)}` : undefined;
}

function roomFor(unheard: readonly string[]): number {
  return maxUnheardCharacters - unheard.reduce((sum, words) => sum + words.length, 0);
}

function tooMuch(unheard: readonly string[]): string {
  const waiting = unheard.length === 0 ? '' : `, and ${maxUnheardCharacters - roomFor(unheard)} wait for it already`;
  return `the model is told at most ${maxUnheardCharacters} characters with its next turn${waiting}. Say it shorter.`;
}
