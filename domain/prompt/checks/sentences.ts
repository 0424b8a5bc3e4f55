/**
 * Words whose full stop does not end a sentence, in lower case. `Intl.Segmenter` is not used: what it returns depends on
 * the ICU version of the machine, and a prompt must have the same bytes everywhere.
 */
const abbreviations: ReadonlySet<string> = new Set(
  (
    'al approx apr art aug b.sc ca cf ch chap co corp dec dept dr ed eds eq eqs esp est etc ex excl feb fig figs gen govt inc ' +
    'incl jan jr jul jun lt ltd m.sc mar max min misc mr mrs ms mt no nos nov oct op para pct ph.d pp prof ref refs resp rev sec ' +
    'sect sen sep sept sr st tab tel temp univ var ver vol vols vs'
  ).split(' '),
);

/** `e.g`, `i.e`, `U.S`, or a single letter. */
const dottedLetters = /^(?:\p{L}\.)*\p{L}$/u;

/** Marks that may end a sentence, with closing quotes and brackets, before a word that may begin another one. */
const possibleEnd = /([.!?]+)(["'”’)\]`*_]*)\s+(?=["'“‘([`*_]*[\p{Lu}\p{Lt}\p{Lo}])|[。！？]["'”’」』）]*(?=\S)/gu;

/**
 * Returns the offsets at which sentences end, except for the last one. Errs on the side of one sentence: a full stop after
 * an abbreviation, an initial or the number of a list item counts as part of the sentence, and so does every mark inside
 * a number, a file name or a URL, because no white space follows it.
 */
function sentenceEnds(text: string): number[] {
  return [...text.matchAll(possibleEnd)].flatMap(({ 0: match, 1: marks, index }) => {
    if (marks === undefined) return [index + match.length];
    if (marks.length > 1 && /^\.+$/.test(marks)) return [];
    if (marks === '.' && isAbbreviation(text.slice(0, index))) return [];
    return [index + match.trimEnd().length];
  });
}

function isAbbreviation(before: string): boolean {
  const word = /[^\s("'“‘[`*_]+$/u.exec(before)?.[0] ?? '';
  const isListNumber = /^\d{1,3}$/.test(word) && before.trim() === word;
  return word === '' || isListNumber || dottedLetters.test(word) || abbreviations.has(word.toLowerCase());
}

/** Whether a text is at most one sentence. */
export function isOneSentence(text: string): boolean {
  return sentenceEnds(text.trim()).length === 0;
}

/** Markdown that begins a heading, a list item or a quotation. */
const blockStart = /^(?:[ \t]*(?:#{1,6}|[-*+>]|\d{1,3}[.)])(?=[ \t]))+/;

/**
 * Returns the first sentence of a text, on one line and without the markdown that begins its block: up to the end of the
 * sentence, or else of its paragraph, heading or list item.
 */
export function firstSentence(text: string): string {
  const lines = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
  const first = lines.findIndex((line) => line.replace(blockStart, '').trim() !== '');
  if (first === -1) return text.replace(/\s+/g, ' ').trim();
  const rest = lines.slice(first + 1);
  const isHeading = /^[ \t]*#/.test(lines[first] ?? '');
  const end = isHeading ? 0 : rest.findIndex((line) => line.trim() === '' || blockStart.test(line));
  const paragraph = [lines[first]?.replace(blockStart, '') ?? '', ...(end === -1 ? rest : rest.slice(0, end))];
  const line = paragraph.join(' ').replace(/\s+/g, ' ').trim();
  return line.slice(0, sentenceEnds(line)[0]);
}
