import type { DefinitionControls } from '../../agent';
import { type FieldProblem, formatFieldPath, InvalidInputError, matchesGlob } from '../../kernel';
import { sectionPathAtDepth } from '../layout';
import { PromptError } from '../prompt-error';
import { formatSectionPath } from '../sections';
import { rejectMarkers, rejectReservedHeadings, requireWellFormed } from './text-rules';

/** Returns what is wrong with the controls of a delegation although their schema accepts them. */
export function controlsProblems(controls: DefinitionControls | undefined): FieldProblem[] {
  if (controls === undefined) return [];
  const texts = textsOf(controls).filter(({ path }) => path[0] !== 'tools' || path[2] !== 'arguments');
  const problems = texts.flatMap(({ path, text }) => {
    const message = textProblem(text);
    return message === undefined ? [] : [{ path, message }];
  });
  return [...problems, ...redactionProblems(controls)];
}

/** Throws an `InvalidInputError` for the first problem of a run's controls. */
export function requireSoundControls(controls: DefinitionControls | undefined): void {
  const [problem] = controlsProblems(controls);
  if (problem === undefined) return;
  const field = formatFieldPath(['delegation', ...problem.path]);
  throw new InvalidInputError(field, problem.message, 'Correct this value and start the run again.');
}

/** Finds what would make every composition fail that uses the text. */
function textProblem(text: string): string | undefined {
  if (/\$\{[^{}]*\}/.test(text)) return 'contains a placeholder such as ${name}, which nothing would fill in';
  try {
    const fields = [{ field: 'text', text }];
    requireWellFormed(fields);
    rejectMarkers(fields);
    rejectReservedHeadings(fields);
    return undefined;
  } catch (error) {
    if (error instanceof PromptError) return `${error.reason}. ${error.remediation}`;
    throw error;
  }
}

/** More levels than a run may have. */
const deepest = 20;

function redactionProblems({ redactions = [] }: DefinitionControls): FieldProblem[] {
  const embedded = Array.from({ length: deepest }, (_, level) =>
    formatSectionPath([...sectionPathAtDepth(level + 1), 'parent-prompt']),
  );
  return redactions.flatMap(({ path }, index) => {
    const at = ['redactions', index, 'path'];
    if (redactions.findIndex((other) => other.path === path) !== index)
      return [{ path: at, message: 'is listed twice' }];
    if (!embedded.some((section) => matchesGlob(path, section))) return [];
    const message =
      'includes an embedded prompt as a whole. Name the sections to withhold, or withhold the whole prompt with parentPrompt: withheld';
    return [{ path: at, message }];
  });
}

function textsOf(value: unknown, path: readonly PropertyKey[] = []): { path: readonly PropertyKey[]; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, item]) => textsOf(item, [...path, isList ? Number(key) : key]));
}
