import { formatFieldPath, truncateText, utf8 } from '../../kernel';
import { McpError } from '../../mcp';
import { PromptError } from '../../prompt';
import { ContextTooLargeError, InvalidSkillInputError, MissingSourceError, UnknownSkillError } from '../../skill';
import { dispatchSubagentName, dispatchSubagentsName } from '../../tool';
import { DispatchRefusedError, formatRefusal, type RefusedDelegation, type Refusal } from '..';

/** The tool that requested a delegation. A step of a relay counts as `dispatch_skill`. */
interface RequestedBy {
  readonly tool: string;
  /** Zero-based index of the delegation in a batch. */
  readonly index?: number;
}

/**
 * Converts an error into a refusal, with the field in the names of the tool that the model called; undefined for errors
 * that the model can't do anything about.
 */
export function toRefusal(error: unknown, delegationId: string, by: RequestedBy): Refusal | undefined {
  const inBatch = by.index !== undefined;
  if (error instanceof PromptError) {
    const { type, field, reason, remediation } = error;
    return refusal({ type, field: toolField(field, by), reason, remedy: remediation, delegationId }, inBatch);
  }
  // Fields of these are already named as the caller knows them.
  const refused = error instanceof DispatchRefusedError ? error : (skillRefusal(error) ?? mcpRefusal(error, by));
  if (refused === undefined) return undefined;
  const { type, field, reason, remedy } = refused;
  return refusal({ type, field, reason, remedy, delegationId }, inBatch);
}

/** Converts an error into the result of a delegation that was refused; undefined like `toRefusal`. */
export function toRefusedDelegation(
  error: unknown,
  delegationId: string,
  by: RequestedBy,
): RefusedDelegation | undefined {
  const found = toRefusal(error, delegationId, by);
  return found && { ok: false, ...found, message: refusalMessage(found) };
}

/** Formats a refusal as the tool result that the model sees. */
export function refusalMessage(refused: Refusal): string {
  const cause = refused.type === 'Tool.ValidationError' ? '' : ` (${refused.type})`;
  return `ToolValidationError${cause}: ${formatRefusal(refused)}`;
}

/** Maximum bytes of a reason or a remedy. A refusal is recorded in history, forty of a batch in one payload. */
const maxBytes = 1_200;
const maxBytesInBatch = 260;
const maxFieldBytes = 80;

function refusal({ field, reason, remedy, ...rest }: Refusal, inBatch: boolean): Refusal {
  const max = inBatch ? maxBytesInBatch : maxBytes;
  return {
    ...rest,
    field: truncateToBytes(field, maxFieldBytes),
    reason: truncateToBytes(reason, max),
    remedy: truncateToBytes(remedy, max),
  };
}

function truncateToBytes(text: string, max: number): string {
  let shown = truncateText(text, max);
  for (let size = max; utf8(shown).length > max; size = Math.floor(size * 0.8)) shown = truncateText(text, size);
  return shown;
}

/** Fields of a composition, and the parameters of a tool that they are composed from. */
type FieldNames = readonly (readonly [RegExp, string])[];

const subagentFields: FieldNames = [
  [/^delegation\.(?:reason|taskSummary)$/, 'instructions'],
  [/^(?:delegation\.requiredOutputs|reporting\.attachments)\[(\d+)\](?:\.name)?$/, 'expected_artifacts[$1]'],
  [/^delegation\.additionalContext\b.*/, 'session snapshot'],
  [/^(?:instructions\.|parameters\b).*/, 'prompt_key'],
];

const skillFields: FieldNames = [
  [/^delegation\.(?:reason|taskSummary)$/, 'input'],
  [/^(?:delegation\.requiredOutputs|reporting\.attachments)\[(\d+)\](?:\.name)?$/, 'expected_artifacts[$1]'],
  [/^(?:instructions\.|parameters\b).*/, 'skill'],
];

const batchFields: FieldNames = [
  [/^delegation\.expectedResult$/, 'expected_result'],
  [/^delegation\.mayDelegateFurther$/, 'may_delegate_further'],
  [/^delegation\.recapLines\b/, 'recap_lines'],
  [/^delegation\./, ''],
];

/** Fields of every composition that no tool has a parameter for. */
const commonFields: FieldNames = [
  [/^parent\.(?:rendered|prompt)$/, 'parent prompt'],
  [/^tooling\b.*/, 'tools'],
];

/** Returns the name by which the caller of a tool knows a field. */
function toolField(field: string, { tool, index }: RequestedBy): string {
  const names =
    tool === dispatchSubagentName ? subagentFields : tool === dispatchSubagentsName ? batchFields : skillFields;
  for (const [pattern, name] of commonFields) if (pattern.test(field)) return field.replace(pattern, name);
  const known = names.find(([pattern]) => pattern.test(field));
  const renamed = known === undefined ? field : field.replace(known[0], known[1]);
  return index === undefined || known === undefined ? renamed : `delegations[${index}].${renamed}`;
}

/** Formats the path of a parameter as the model wrote it, such as `delegations[2].reason`. */
export function parameterPath(path: readonly PropertyKey[]): string {
  return formatFieldPath(path) || 'input';
}

function skillRefusal(error: unknown): DispatchRefusedError | undefined {
  if (error instanceof UnknownSkillError) return new DispatchRefusedError('skill', error.message, 'Use one of these.');
  if (error instanceof InvalidSkillInputError) {
    const { skill, field, reason } = error;
    const path = field === 'input' ? field : `input.${field}`;
    const remedy = `Correct the input to match the schema of "${skill}" and call the tool again.`;
    return new DispatchRefusedError(path, `the skill "${skill}" does not accept it: ${reason}`, remedy);
  }
  if (error instanceof MissingSourceError) {
    const { skill, source, reason } = error;
    const remedy = `Write it as an artifact with that name, or as a workspace file, before you dispatch "${skill}".`;
    return new DispatchRefusedError(source, `the skill "${skill}" needs it, but it ${reason}`, remedy);
  }
  if (error instanceof ContextTooLargeError) {
    return new DispatchRefusedError('skill', error.message, 'Reduce that part, or do the work yourself.', error.type);
  }
  return undefined;
}

/** A prompt or a skill that is granted what the worker does not have. The model can only do without it. */
function mcpRefusal(error: unknown, { tool }: RequestedBy): DispatchRefusedError | undefined {
  if (!(error instanceof McpError)) return undefined;
  const field = tool === dispatchSubagentName ? 'prompt_key' : 'skill';
  const reason = error.message.replace(/\.$/, '');
  return new DispatchRefusedError(field, reason, 'Choose another one, or do the work yourself.', error.type);
}
