import { z } from 'zod';
import { jsonDigest } from '../domain/kernel';
import type { RunStore } from '../domain/store';
import { type ToolCall, type ToolResult, toolResultSchema } from '../domain/tool';
import { anyHash, parseStored } from './blobs';

/** How a call ended: with a result, or interrupted, so that nobody knows whether it had an effect. */
const endSchema = z.union([z.object({ result: toolResultSchema }), z.object({ interrupted: z.literal(true) })]);
export type CallEnd = Readonly<z.infer<typeof endSchema>>;

/** The activity that began a call: the workflow execution that scheduled it, and its id there. */
const beginnerSchema = z.object({ execution: z.string(), activity: z.string() });
export type Beginner = Readonly<z.infer<typeof beginnerSchema>>;

/**
 * The end of a call that ran in an activity of its own. The first one that is written wins. A reset schedules another
 * activity for the same call, which finds it here. Nothing is journaled for a call without a key, which a workflow of an
 * earlier version makes: nothing tells it from another call with the same id.
 */
export class CallJournal {
  private readonly place: string | undefined;

  /** `reply` is the head of the transcript that ends with the reply of the call. Earlier versions don't pass it. */
  constructor(
    private readonly store: RunStore,
    { key, name, input }: ToolCall,
    reply = '',
  ) {
    // The key is not enough: some providers number the calls of each reply, and an operator may have changed the input.
    this.place = key === undefined ? undefined : `${key}/${jsonDigest({ reply, name, input })}`;
  }

  /** Returns how the call ended; undefined if it has not. */
  async find(): Promise<CallEnd | undefined> {
    if (this.place === undefined) return undefined;
    const bytes = await this.store.find(this.endKey);
    return bytes === undefined ? undefined : this.parseEnd(bytes);
  }

  /** Records the result of the call. Returns how it ended, which another activity may have recorded first. */
  keep(result: ToolResult): Promise<CallEnd> {
    return this.end({ result });
  }

  /** Records that nobody will know how the call ended. Returns how it ended, if that was recorded first. */
  keepInterrupted(): Promise<CallEnd> {
    return this.end({ interrupted: true });
  }

  /** Records, durably, who begins a call that must not run twice. Returns who was the first to do so. */
  async begin(beginner: Beginner): Promise<Beginner> {
    if (this.place === undefined) return beginner;
    const key = `begun/${this.place}`;
    const bytes = await this.store.putIfAbsent(key, Buffer.from(JSON.stringify(beginner)));
    await this.store.flush();
    return parseStored(this.store, key, bytes, beginnerSchema, 'beginning of a tool call');
  }

  private get endKey(): string {
    return `call/${this.place ?? ''}`;
  }

  private async end(end: CallEnd): Promise<CallEnd> {
    if (this.place === undefined) return end;
    // Not canonical JSON, which rejects some values that a tool may put into an event.
    const text = JSON.stringify(end);
    // Whoever finds the record relies on the blobs that it refers to.
    if (anyHash.test(text)) await this.store.flush();
    return this.parseEnd(await this.store.putIfAbsent(this.endKey, Buffer.from(text)));
  }

  private parseEnd(bytes: Uint8Array): CallEnd {
    return parseStored(this.store, this.endKey, bytes, endSchema, 'result of a tool call');
  }
}
