/**
 * A queue in which keys take turns: of each key, the item that came first is next. Somebody with a single item waits for one
 * item of every other key, however many those have.
 */
export class FairQueue<Item> {
  /** Keys in the order of their turns. */
  private readonly lines = new Map<string, Item[]>();

  add(key: string, item: Item): void {
    const line = this.lines.get(key);
    if (line === undefined) this.lines.set(key, [item]);
    else line.push(item);
  }

  /** Returns the item whose turn it is; undefined if there is none. It stays in the queue. */
  get first(): Item | undefined {
    for (const [item] of this.lines.values()) return item;
    return undefined;
  }

  /** Removes the item whose turn it is. Its key goes to the end. */
  removeFirst(): void {
    for (const [key, line] of this.lines) {
      this.lines.delete(key);
      line.shift();
      if (line.length > 0) this.lines.set(key, line);
      return;
    }
  }

  /** Removes an item wherever it is. The other items keep their turns. */
  remove(key: string, item: Item): void {
    const line = this.lines.get(key);
    const at = line?.indexOf(item) ?? -1;
    if (line === undefined || at < 0) return;
    line.splice(at, 1);
    if (line.length === 0) this.lines.delete(key);
  }

  /** All items, in no particular order. */
  get items(): readonly Item[] {
    return [...this.lines.values()].flat();
  }
}
