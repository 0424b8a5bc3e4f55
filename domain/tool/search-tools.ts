import type { ToolDescription } from './description';

/** A tool that matches a query, and how well. */
export interface ToolMatch {
  readonly tool: ToolDescription;
  /** A whole number above 0. Only the order of scores of one search means anything. */
  readonly score: number;
}

/** Points of a word of the query, by where it was found. A word counts once, with the best of them. */
const points = { wordOfName: 60, startOfNameWord: 40, insideName: 20, wordOfText: 12, startOfTextWord: 6 };
/** Points of a query that contains the complete name of a tool. More than all others together can reach. */
const pointsOfName = 1_000_000;
/** Added for each further word of the query that a tool matches, so that a tool with two of them beats one. */
const pointsPerFurtherWord = 50;

/** Words that say nothing about a tool. They count only in a query that has no others. */
const fillers = new Set(
  'a an and any are can for from have i in is it me my need of on or please that the this to tool tools use want which with you'.split(
    ' ',
  ),
);

/** Every tool of an MCP server has a name that begins like this. */
const namePrefix = 'mcp__';

/** Maximum characters of a query, a name and a description that are looked at, so that a search takes bounded time. */
const maxCompared = 6_000;
const maxQueryWords = 50;

/**
 * Finds the tools that match a query, best first; of equal ones, by name. A query may contain words in any order, of which
 * those in a tool's name count more than those in its description, and complete names of tools, which match only those. The
 * result depends on nothing but the arguments.
 */
export function searchTools(query: string, tools: readonly ToolDescription[]): ToolMatch[] {
  const parts = query.slice(0, maxCompared).split(/[\s,;"'`]+/);
  const named = new Set(parts);
  const words = queryWords(parts.filter((part) => !part.startsWith(namePrefix)).join(' '));
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words, named) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.tool.name < other.tool.name ? -1 : 1));
}

function scoreOf({ name, description }: ToolDescription, words: readonly string[], named: ReadonlySet<string>): number {
  if (named.has(name)) return pointsOfName;
  const ofName = wordsOf(name.startsWith(namePrefix) ? name.slice(namePrefix.length) : name);
  const ofText = wordsOf(description);
  const flatName = ofName.join('');
  const found = words.map((word) => wordScore(word, { ofName, ofText, flatName })).filter((score) => score > 0);
  const sum = found.reduce((total, score) => total + score, 0);
  return found.length === 0 ? 0 : sum + (found.length - 1) * pointsPerFurtherWord;
}

interface Searched {
  readonly ofName: readonly string[];
  readonly ofText: readonly string[];
  readonly flatName: string;
}

function wordScore(word: string, { ofName, ofText, flatName }: Searched): number {
  const startsWithIt = (other: string): boolean => word.length >= minStart && other.startsWith(word);
  if (ofName.includes(word)) return points.wordOfName;
  if (ofName.some(startsWithIt) || ofName.some((other) => isPlural(word, other))) return points.startOfNameWord;
  if (word.length >= minStart && flatName.includes(word)) return points.insideName;
  if (ofText.includes(word)) return points.wordOfText;
  return ofText.some(startsWithIt) || ofText.some((other) => isPlural(word, other)) ? points.startOfTextWord : 0;
}

/** Minimum characters of a word that also matches the beginning or the middle of others. */
const minStart = 3;

function isPlural(word: string, singular: string): boolean {
  return singular.length >= minStart && (word === `${singular}s` || word === `${singular}es`);
}

function queryWords(query: string): string[] {
  const words = [...new Set(wordsOf(query))];
  const telling = words.filter((word) => !fillers.has(word));
  return (telling.length === 0 ? words : telling).slice(0, maxQueryWords);
}

/** Splits a text into lower-case words: at everything that is not a letter or digit, and inside `camelCase`. */
function wordsOf(text: string): string[] {
  const separated = text
    .slice(0, maxCompared)
    .normalize('NFKC')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  return separated
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
