import ignore from 'ignore';
import { ToolError } from '../define-tool';

const maxLength = 200;
const maxDoubleStars = 4;
const maxAlternatives = 50;

/**
 * Compiles a filter such as "*.ts", "src/**" or "!*.{test,spec}.ts", with the rules of git and ripgrep. Every "**"
 * multiplies the ways in which a path can match, so their number is limited.
 */
export function globFilter(glob: string): (path: string) => boolean {
  if (glob.length > maxLength) throw new ToolError(`The glob is longer than ${maxLength} characters.`);
  if (glob.split('**').length - 1 > maxDoubleStars)
    throw new ToolError(`The glob has more than ${maxDoubleStars} "**".`);
  const excluding = glob.startsWith('!');
  const patterns = expandBraces(excluding ? glob.slice(1) : glob);
  const matcher = ignore({ ignorecase: false }).add(patterns.map((pattern) => pattern.replace(/^[!#]/, '\\$&')));
  return (path) => matcher.ignores(path) !== excluding;
}

/** "a.{ts,tsx}" becomes "a.ts" and "a.tsx"; git itself does not support braces. */
function expandBraces(glob: string): string[] {
  const match = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(glob);
  if (match === null) return [glob];
  const [, before = '', inside = '', after = ''] = match;
  const expanded = inside.split(',').flatMap((choice) => expandBraces(`${before}${choice}${after}`));
  if (expanded.length > maxAlternatives)
    throw new ToolError(`The glob expands to more than ${maxAlternatives} patterns.`);
  return expanded;
}
