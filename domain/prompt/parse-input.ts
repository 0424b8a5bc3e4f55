import type { z } from 'zod';
import type { PromptFailureType } from './prompt-error';
import { PromptError } from './prompt-error';
import { fieldName } from './checks/fields';

/** Failure type by top-level field. The specification has separate failures for tooling and redactions. */
const failureByArea: Readonly<Record<string, PromptFailureType>> = {
  tooling: 'Prompt.InvalidTooling',
  redactions: 'Prompt.InvalidRedaction',
};

/** Parses an input. Throws a `PromptError` for the first problem only, because the error has one `field`. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown, reference: string): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue === undefined ? [] : offendingPath(issue);
  const type = failureByArea[String(path[0])] ?? (isSectionIndex(path) ? 'Prompt.InvalidSections' : 'Input.Invalid');
  throw new PromptError(
    type,
    path.length === 0 ? 'input' : fieldName(path),
    issue === undefined ? 'it is malformed' : reasonOf(issue),
    `Compare the input with ${reference}.`,
  );
}

function reasonOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
    ? 'it is missing'
    : issue.message;
}

function isSectionIndex(path: readonly PropertyKey[]): boolean {
  return path[0] === 'parent' && path[1] === 'sections';
}

/** Returns the path of the invalid field. zod reports an unknown key at the object that contains it, so add the key. */
function offendingPath(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  return issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
}
