import { sha256 } from './digest';

/**
 * Stores one copy of each message. Every request repeats the conversation so far, so the log of a long run would
 * otherwise grow quadratically, and each message would be rendered again in every turn.
 */
export class SharedMessages {
  readonly #known = new Map<string, unknown>();

  /** Returns the request with repeated messages replaced by their first copies. The body may still be invalid. */
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
