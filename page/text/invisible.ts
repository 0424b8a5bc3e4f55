/** A character that cannot be seen, or that changes how its neighbours are shown. */
interface InvisibleCharacter {
  /** Such as `U+202E`. */
  readonly code: string;
  readonly name: string;
}

/** Part of a text: characters to show as they are, or one to show as a mark. */
export type VisiblePart = string | InvisibleCharacter;

/**
 * Control characters other than line feed and tab, characters that change the direction of text, characters without a
 * width, halves of surrogate pairs, and the ranges in which text can be hidden.
 */
const invisible =
  /(?![\n\t])[\p{Cc}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e0fff}]|(?<![\p{Extended_Pictographic}\ufe0f\p{Emoji_Modifier}])\u200d|\p{Cs}/gu;

const names: Readonly<Record<number, string>> = {
  0x00: 'null',
  0x07: 'bell',
  0x08: 'backspace',
  0x0d: 'carriage return',
  0x1b: 'escape',
  0x7f: 'delete',
  0xad: 'soft hyphen',
  0x061c: 'Arabic letter mark',
  0x200b: 'zero width space',
  0x200c: 'zero width non-joiner',
  0x200d: 'zero width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x2028: 'line separator',
  0x2029: 'paragraph separator',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'pop directional formatting',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'pop directional isolate',
  0xfeff: 'byte order mark',
};

/** Most texts have only these, and are found to be harmless at once. */
const unusual = /[^\n\t -~]/;

/** Splits a text at its invisible characters. A carriage return before a line feed is part of the line break. */
export function visibleParts(text: string): readonly VisiblePart[] {
  if (!unusual.test(text)) return text === '' ? [] : [text];
  const parts: VisiblePart[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(invisible)) {
    if (character === '\r' && text[index + 1] === '\n') continue;
    if (index > from) parts.push(text.slice(from, index));
    parts.push(describeCharacter(character));
    from = index + character.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Replaces invisible characters, for places that take only text, such as names and tooltips. */
export function withoutInvisible(text: string): string {
  return text.replace(invisible, '\ufffd');
}

function describeCharacter(character: string): InvisibleCharacter {
  const point = character.codePointAt(0) ?? 0;
  const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
  return { code, name: names[point] ?? groupName(point) };
}

function groupName(point: number): string {
  if (point >= 0xe0000) return 'hidden character';
  if (point >= 0xd800 && point <= 0xdfff) return 'half of a character';
  return point < 0xa0 ? 'control character' : 'invisible character';
}
