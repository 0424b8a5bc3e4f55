/** Distances between checkpoints, widest first: with these a chain of 1,000 links loads in at most about 50 reads. */
const spans = [256, 16] as const;

/** Where the pack of the link with that index begins; undefined when the link carries none. */
export function checkpointStart(index: number): number | undefined {
  const span = index > 0 ? spans.find((candidate) => index % candidate === 0) : undefined;
  return span === undefined ? undefined : index - span;
}
