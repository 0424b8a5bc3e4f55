/** Maximum nesting depth of a final message. The output formats of skills use only a few levels. */
export const maxOutputDepth = 32;
