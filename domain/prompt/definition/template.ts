const placeholder = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Fills in a template in a single pass, so that placeholders inside values stay text. */
export function fillIn(template: string, valueOf: (name: string) => string): string {
  return template.replace(placeholder, (text, name: string) => (text.startsWith('$$') ? text.slice(1) : valueOf(name)));
}
