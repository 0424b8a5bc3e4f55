const placeholder = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Returns the names of the parameters that a template uses, without duplicates. */
export function placeholdersOf(template: string): string[] {
  const names = [...template.matchAll(placeholder)]
    .filter(([text]) => !text.startsWith('$$'))
    .map(([, name = '']) => name);
  return [...new Set(names)];
}

/** Fills in a template in a single pass, so that placeholders inside values stay text. */
export function fillIn(template: string, valueOf: (name: string) => string): string {
  return template.replace(placeholder, (text, name: string) => (text.startsWith('$$') ? text.slice(1) : valueOf(name)));
}
