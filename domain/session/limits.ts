/** Canonical JSON of a whole session, in bytes of UTF-8. What is larger belongs in the store, as a ref. */
export const maxSessionBytes = 256 * 1024;

/** Canonical JSON of one event. Texts over 1 KiB are refs from birth, so a few of them still fit. */
export const maxEventBytes = 4 * 1024;

/** Values nested deeper than this are refused: a recursion over them could end differently on another machine. */
export const maxDepth = 32;

/** What a summary for a prompt may take, in UTF-16 units. */
export const maxSummaryLength = 4_000;
