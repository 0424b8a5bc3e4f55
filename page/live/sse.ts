/** One event of a stream of server-sent events. */
export interface SentEvent {
  readonly id: string;
  readonly name: string;
  readonly data: string;
}

/**
 * Parses server-sent events from pieces of text that may end anywhere. Comments and `retry` are ignored. The browser's own
 * parser, EventSource, can't send the header with the key.
 */
export class SentEventParser {
  private rest = '';
  private id = '';
  private name = '';
  private data: string[] = [];

  /** Adds a piece, and returns the events that are complete now. */
  add(piece: string): SentEvent[] {
    const text = this.rest + piece;
    // A carriage return at the end may be the first half of a line break.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\r|\n/);
    this.rest = (lines.pop() ?? '') + text.slice(end);
    return lines.flatMap((line) => this.addLine(line));
  }

  private addLine(line: string): SentEvent[] {
    if (line === '') return this.complete();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'id') this.id = value;
    else if (field === 'event') this.name = value;
    else if (field === 'data') this.data.push(value);
    return [];
  }

  private complete(): SentEvent[] {
    const { id, name, data } = this;
    this.name = '';
    this.data = [];
    return data.length === 0 ? [] : [{ id, name: name === '' ? 'message' : name, data: data.join('\n') }];
  }
}
