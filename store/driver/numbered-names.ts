// A record that a power cut has torn stays where it is, and the next one under its key gets the next name: `answer.…`, then
// `answer.….again-1`, and so on. Nothing is ever removed, so no worker can remove a record that another one has just
// written.

/** Returns the name for a record that follows this many torn ones. */
export function numberedName(name: string, torn: number): string {
  return torn === 0 ? name : `${name}.again-${torn}`;
}

/** Returns the name that a record would have if none had been torn. */
export function plainName(name: string): string {
  return name.replace(numbering, '');
}

/** Returns the name, or path, for the record that follows if this one is torn. */
export function nextName(name: string): string {
  return numberedName(plainName(name), Number(numbering.exec(name)?.[1] ?? 0) + 1);
}

const numbering = /\.again-(\d+)$/;
