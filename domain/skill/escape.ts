/** A slash after `<` that already carries backslashes, or that begins the closing tag of one of these names. */
function closingTags(names: readonly string[]): RegExp {
  const alternatives = names.map((name) => name.replace(/[^A-Za-z0-9_]/g, '\\$&')).join('|');
  return new RegExp(`<(\\s*)(?:(\\\\+)/|/(?=\\s*(?:${alternatives})(?![A-Za-z0-9_.-])))`, 'gi');
}

/**
 * Text that cannot close any of these tags: `</tag` becomes `<\/tag`, and where backslashes stand there already, one is
 * added. All other text stays as it is, so that an agent can quote code exactly. `unescapeTags` is the inverse.
 */
export function escapeTags(text: string, names: readonly string[]): string {
  return text.replace(closingTags(names), (_, space: string, backslashes: string | undefined) => {
    return `<${space}${backslashes ?? ''}\\/`;
  });
}

export function unescapeTags(text: string): string {
  return text.replace(/<(\s*)\\(\\*)\//g, '<$1$2/');
}

export function wrapInTag(tag: string, content: string, attributes = ''): string {
  return `<${tag}${attributes}>\n${content}\n</${tag}>`;
}

export function attribute(name: string, value: string): string {
  const quoted = value.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  return ` ${name}="${quoted}"`;
}
