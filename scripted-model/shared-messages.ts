import { sha256 } from './digest';

/**
 * Keeps one copy of each message. Every request repeats the conversation so far, so that the log of a long run would
 * otherwise grow with the square of its turns, and each message would be rendered again in every turn.
 */
export class SharedMessages {
  readonly #known = new Map<string, unknown>();

  /** The request with messages that came before replaced by their first copies. Its shape need not be right yet. */
  share(body: unknown): unknown {
    if (typeof body !== 'object' || body === null || !('messages' in body) || !Array.isArray(body.messages))
      return body;
    return { ...body, messages: body.messages.map((message: unknown) => this.#firstCopy(message)) };
  }

  #firstCopy(message: unknown): unknown {
    const key = sha256(JSON.stringify(message));
    const known = this.#known.get(key) ?? message;
    this.#known.set(key, known);
    return known;
  }
}
