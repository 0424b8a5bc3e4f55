import { formatFieldPath } from '../kernel';
import { InvalidPathError, parsePath } from '../workspace';
import { DispatchRefusedError } from './contract';

/** What a call of `dispatch_subagent` expects the subagent to deliver. */
export interface ExpectedOutputs {
  /** Names of artifacts and paths of files. Whether the subagent has written them is checked. */
  readonly names: readonly string[];
  /** Deliverables described in words. Nothing can check them. */
  readonly descriptions: readonly string[];
}

/**
 * Tells the names among `expected_artifacts` from the descriptions. A name is spelled as `write_artifact` and `write_file`
 * spell it: `./report.md` becomes `report.md`. Throws a refusal for a name that neither of them accepts, because it could
 * never be delivered.
 */
export function expectedOutputs(items: readonly string[]): ExpectedOutputs {
  const names = items.flatMap((item, index) => (isName(item) ? [asPath(item, index)] : []));
  const descriptions = items.filter((item) => !isName(item)).map((text) => text.replace(/\s+/g, ' '));
  return { names: [...new Set(names)], descriptions: [...new Set(descriptions)] };
}

const address = /^[a-z][a-z0-9+.-]*:\/\//i;
/** A separator, a file extension (also alone, as in .gitignore), or nothing but dots. */
const partOfPath = /[/\\]|\.[A-Za-z0-9_-]+$|^\.+$/;

/**
 * Whether an item names an artifact or a file. A name is one word with a slash or a file extension, such as `report.md` or
 * `./Makefile`. Anything else, such as `summary` or `Table of the latest KPIs`, is a description, and so is a web address.
 */
function isName(item: string): boolean {
  return !/\s/.test(item) && !address.test(item) && partOfPath.test(item);
}

function asPath(item: string, index: number): string {
  try {
    return parsePath(item);
  } catch (error) {
    if (!(error instanceof InvalidPathError)) throw error;
    const field = formatFieldPath(['expected_artifacts', index]);
    const remedy =
      'Use a name such as report.md, or a path relative to the workspace, such as docs/report.md; or describe the deliverable in words.';
    throw new DispatchRefusedError(field, `"${item}" can never be delivered under that name: ${error.reason}`, remedy);
  }
}

/** How a named output is delivered, for lists of attachments. */
export const deliveredAs = 'as an artifact or a file';

/** Describes the expected outputs for the subagent's prompt, one line each, in agreement with how they are checked. */
export function describeExpected({ names, descriptions }: ExpectedOutputs): string[] {
  return [
    ...names.map((name) => `The artifact \`${name}\`, or a file with this path. Exactly this name is checked.`),
    ...descriptions,
  ];
}
