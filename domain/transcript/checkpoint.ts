/** Distances between checkpoints, largest first. With these, a chain of 1,000 links loads in at most about 50 reads. */
const spans = [256, 16] as const;

/** Returns the index of the first link in the pack of the given link; undefined when that link has no pack. */
export function checkpointStart(index: number): number | undefined {
  const span = index > 0 ? spans.find((candidate) => index % candidate === 0) : undefined;
  return span === undefined ? undefined : index - span;
}
