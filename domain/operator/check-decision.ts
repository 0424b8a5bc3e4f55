import { type FailureType, InvalidInputError, truncateText } from '../kernel';
import { type ModelCatalog, resolveModel } from '../model';
import type { Amendment, DecisionRecord, Incident, OperatorAction, OperatorDecision } from './contract';

const actionsByKind: Readonly<Record<Incident['kind'], readonly OperatorAction[]>> = {
  failure: ['retry', 'amend', 'skip', 'abort'],
  toolRequest: ['approve', 'deny'],
  approval: ['approve', 'deny'],
  question: ['answer'],
};

/** Returns the actions that apply to an incident. A delegation that has closed can't be amended. */
export function actionsFor({ kind, delegation }: Pick<Incident, 'kind' | 'delegation'>): readonly OperatorAction[] {
  return actionsByKind[kind].filter((action) => delegation === null || action !== 'amend');
}

/** Failures that the same answer of the model would cause again. */
const answerFailures: ReadonlySet<string> = new Set<FailureType>([
  'Model.BadReply',
  'Model.Refused',
  'Model.ContextExceeded',
  'Output.Invalid',
  'Handoff.Invalid',
  'Delegation.Incomplete',
]);

/**
 * Whether a retry needs another answer of the model. After any other failure, such as that of the store, it uses the
 * answer in the journal, which has been paid for. A failure without a type may have any cause.
 */
export function isAboutAnswer(type: string | undefined): boolean {
  return type === undefined || answerFailures.has(type);
}

/** Incidents, decisions and steering messages that a new decision is checked against. */
interface InboxState {
  readonly open: readonly Incident[];
  /** Decisions made so far. */
  readonly taken: readonly DecisionRecord[];
  /** Steering messages and accepted instructions that have not been sent to the model yet. */
  readonly unheard: readonly string[];
  /** Models that the agent's settings describe. */
  readonly models?: ModelCatalog | undefined;
}

/**
 * Compares an operator's decision with an agent's state. Returns the reason for refusing it; undefined when it can be
 * carried out.
 */
export function checkDecision(
  decision: OperatorDecision,
  { open, taken, unheard, models }: InboxState,
): string | undefined {
  const incident = open.find(({ id }) => id === decision.incident);
  if (incident === undefined) return notOpen(decision.incident, open, taken);
  const possible = actionsFor(incident);
  if (!possible.includes(decision.action)) {
    return `action: "${decision.action}" does not apply to incident ${incident.id} (${incident.type}). Use ${possible.join(', ')}.`;
  }
  switch (decision.action) {
    case 'amend':
      return checkAmendment(decision.amendment, unheard, models);
    case 'approve':
    case 'deny':
      return checkCallDecision(decision, incident);
    case 'answer':
      return checkAnswer(decision.text, incident);
    default:
      return undefined;
  }
}

type CallDecision = Extract<OperatorDecision, { action: 'approve' | 'deny' }>;

function checkCallDecision(decision: CallDecision, { id, kind }: Incident): string | undefined {
  if (kind === 'approval') return undefined;
  const extra = decision.always === true ? 'always' : 'edit' in decision ? 'edit' : undefined;
  return extra && `${extra}: incident ${id} is a request for a tool, not a call. Decide without it.`;
}

function checkAnswer(text: string, incident: Incident): string | undefined {
  if (resolveAnswer(text, incident) !== undefined) return undefined;
  const list = (incident.options ?? []).map((option, index) => `${index + 1} (${option})`).join(', ');
  return `text: "${truncateText(text, maxShownAnswer)}" is not one of the options. Answer with one of: ${list}.`;
}

const maxShownAnswer = 60;

/**
 * Returns the answer that a text gives to a question: one of the options, which may be given as its number, or the
 * text itself if the question has none or allows others. Undefined if it is not a possible answer.
 */
export function resolveAnswer(
  text: string,
  { options, freeText }: Pick<Incident, 'options' | 'freeText'>,
): string | undefined {
  const answer = text.trim();
  if (options === undefined) return answer;
  const lower = answer.toLowerCase();
  return (
    options.find((option) => option === answer) ??
    options.find((option) => option.toLowerCase() === lower) ??
    (/^\d{1,3}$/.test(answer) ? options[Number(answer) - 1] : undefined) ??
    (freeText === true ? answer : undefined)
  );
}

/** Maximum open incidents that a refusal names. */
const maxShownIncidents = 20;

function notOpen(id: string, open: readonly Incident[], taken: readonly DecisionRecord[]): string {
  const earlier = taken.find(({ incident }) => incident === id);
  if (earlier !== undefined) {
    const who = earlier.by === '' ? '' : ` by ${earlier.by}`;
    return `incident: ${id} was already answered: ${earlier.action}${who} at ${earlier.at}.`;
  }
  if (open.length === 0) return `incident: this agent has no open incident, so ${id} cannot be answered.`;
  const shown = open.slice(0, maxShownIncidents).map((one) => `${one.id} (${one.type})`);
  const more = open.length > shown.length ? ` and ${open.length - shown.length} more` : '';
  return `incident: ${id} is not an open incident. Open: ${shown.join(', ')}${more}.`;
}

/** Returns the reason for refusing changes of an agent's settings; undefined when they can be made. */
export function checkAmendment(
  amendment: Amendment,
  unheard: readonly string[],
  models?: ModelCatalog,
): string | undefined {
  const { instructions = '', model, tools } = amendment;
  if (Object.keys(amendment).length === 0) return 'amendment: must change something.';
  if (instructions.length > roomFor(unheard)) return `amendment.instructions: ${tooMuch(unheard)}`;
  const both = tools?.grant?.find((name) => tools.revoke?.includes(name) === true);
  if (both !== undefined) return `amendment.tools: ${both} cannot be granted and revoked at once.`;
  return model === undefined ? undefined : checkModel(model, models);
}

function checkModel(model: NonNullable<Amendment['model']>, models?: ModelCatalog): string | undefined {
  const { name, window, maxTokens = 1, fallback = [] } = model;
  try {
    if (name !== undefined || window !== undefined) resolveModel({ name, window, maxTokens }, models);
    fallback.forEach((other) => resolveModel({ name: other, maxTokens: 1 }, models));
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInputError) return `amendment.model.${error.field}: ${error.reason}. ${error.remedy}`;
    throw error;
  }
}

/** Maximum characters of all steering messages that one turn sends. They share a payload with the rest of the turn. */
const maxUnheardCharacters = 4_000;

/** Returns the reason for refusing a steering message; undefined when it can be sent. */
export function checkSteering(text: string, unheard: readonly string[]): string | undefined {
  if (text.trim() === '') return 'text: must not be empty.';
  return text.length > roomFor(unheard) ? `text: ${tooMuch(unheard)}` : undefined;
}

function roomFor(unheard: readonly string[]): number {
  return maxUnheardCharacters - unheard.reduce((sum, text) => sum + text.length, 0);
}

function tooMuch(unheard: readonly string[]): string {
  const waiting = unheard.length === 0 ? '' : `, and ${maxUnheardCharacters - roomFor(unheard)} are already waiting`;
  return `the next turn can send at most ${maxUnheardCharacters} characters to the model${waiting}. Shorten the text.`;
}

/** Maximum characters of the message. The server limits a timer's summary to 400 bytes of its encoded payload. */
const maxMessage = 60;

/**
 * Formats an incident as the UI summary of the timer that waits for an operator. It is recorded in the agent's history,
 * and `parseIncidentSummary` parses it back.
 */
export function formatIncidentSummary({
  id,
  type,
  step,
  message,
}: Pick<Incident, 'id' | 'type' | 'step' | 'message'>): string {
  const text = message.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  const cut = text.length > maxMessage ? `${text.slice(0, maxMessage - 1)}…` : text;
  return `${id} ${type} at ${step}: ${cut}`;
}

/** Parses the summary written by `formatIncidentSummary`; undefined when the text is not such a summary. */
export function parseIncidentSummary(line: string): Pick<Incident, 'id' | 'type' | 'step' | 'message'> | undefined {
  const [, id, type, step, message] = /^(i\d+) (\S+) at (.*?): (.*)$/su.exec(line) ?? [];
  if (id === undefined || type === undefined || step === undefined || message === undefined) return undefined;
  return { id, type, step, message };
}
