/** Where tables are booked. Replace it with a client of your own system. */
export interface Bookings {
  free(guests: number): Promise<readonly string[]>;
  /** Books once per key: called again with the same one, it returns the same booking. */
  book(key: string, table: string, guests: number): Promise<string>;
}

/** Bookings in memory, for tests and to try it. */
export function bookingsInMemory(): Bookings & { readonly all: ReadonlyMap<string, string> } {
  const all = new Map<string, string>();
  return {
    all,
    free: (guests) => Promise.resolve(guests > 6 ? ['the long table'] : ['table 2', 'table 5']),
    book: (key, table, guests) => {
      const booking = all.get(key) ?? `B${all.size + 1}: ${table} for ${guests}`;
      all.set(key, booking);
      return Promise.resolve(booking);
    },
  };
}
