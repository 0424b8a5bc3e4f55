/** Maximum bytes of a whole session, as canonical JSON in UTF-8. Larger values belong in the store. */
export const maxSessionBytes = 256 * 1024;

/**
 * Maximum bytes of one event, as canonical JSON in UTF-8. Senders pass texts over 1 KiB as refs, so a few texts fit.
 */
export const maxEventBytes = 4 * 1024;

/**
 * Maximum nesting of a value. Recursing into deeper values could overflow the stack on some machines and not on others.
 */
export const maxSessionDepth = 32;

/** Maximum length of a session summary in a prompt, in UTF-16 code units. */
export const maxSummaryLength = 4_000;
