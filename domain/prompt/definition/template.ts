const placeholder = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Names of the parameters that a template needs, each once. */
export function placeholdersOf(template: string): string[] {
  const names = [...template.matchAll(placeholder)]
    .filter(([text]) => !text.startsWith('$$'))
    .map(([, name = '']) => name);
  return [...new Set(names)];
}

/** Fills in a template in a single pass: what a value contains is text, and is never looked at again. */
export function fillIn(template: string, valueOf: (name: string) => string): string {
  return template.replace(placeholder, (text, name: string) => (text.startsWith('$$') ? text.slice(1) : valueOf(name)));
}
