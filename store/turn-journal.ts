import { z } from 'zod';
import { reasonOutsideSchema, type RunTurnInput } from '../domain/agent';
import { BlobMissingError, type RunStore } from '../domain/store';
import { toolResultSchema } from '../domain/tool';
import { anyHash, parseStored } from './blobs';

const none = (): [] => [];
/** A result whose empty lists are not written: most calls change nothing. */
const recordedResultSchema = toolResultSchema.extend({
  changes: toolResultSchema.shape.changes.default(none),
  events: toolResultSchema.shape.events.default(none),
});

/** A call that ran inside a turn. */
const insideCallSchema = z.object({
  /** Zero-based place among all calls of the reply. */
  index: z.int().nonnegative(),
  tool: z.string(),
  result: recordedResultSchema,
  /** Time that it took, in milliseconds. */
  ms: z.int().nonnegative(),
});
export type InsideCall = Readonly<z.infer<typeof insideCallSchema>>;

/** The calls of a reply: results of those that ran inside its turn, in order, and why the others did not. */
const turnRecordSchema = z.object({
  ran: z.array(insideCallSchema).readonly(),
  left: z
    .array(z.object({ index: z.int().nonnegative(), why: reasonOutsideSchema }))
    .readonly()
    .default(none),
});
export type TurnRecord = Readonly<z.infer<typeof turnRecordSchema>>;

/**
 * Finds the record of a turn by the head that ends with its reply, whichever execution took it. Reads the records of all
 * turns.
 */
export async function findTurnRecord(store: RunStore, head: string): Promise<TurnRecord | undefined> {
  for await (const { key, bytes } of store.entries('turn'))
    if (key.endsWith(`/${head}`)) return parseStored(store, key, bytes, turnRecordSchema, 'results of a turn');
  return undefined;
}

/** Returns a call as it is written. */
function toRecorded({ result: { changes, events, ...result }, ...call }: InsideCall): z.input<typeof insideCallSchema> {
  const lists = { ...(changes.length === 0 ? {} : { changes }), ...(events.length === 0 ? {} : { events }) };
  return { ...call, result: { ...result, ...lists } };
}

/** The model call of a turn, and the transcript that ends with its reply. */
interface TurnPlace {
  readonly identity: RunTurnInput['identity'];
  readonly head: string;
}

/**
 * The outcomes of the calls that ran inside one turn. The first attempt that writes them wins, so every later attempt, and
 * a turn repeated after a reset, has the same results. The next turn reads them here.
 */
export class TurnJournal {
  private readonly place: string;

  constructor(
    private readonly store: RunStore,
    { identity: { execution, call, try: attempt }, head }: TurnPlace,
  ) {
    this.place = `${execution}/${call}/${attempt}/${head}`;
  }

  /** Returns the record of the turn; undefined if no attempt at it has come that far. */
  find(): Promise<TurnRecord | undefined> {
    return this.read(`turn/${this.place}`, turnRecordSchema);
  }

  /** Returns the record of a turn that has ended. */
  async require(): Promise<TurnRecord> {
    const record = await this.find();
    if (record === undefined)
      throw new BlobMissingError(this.store.runId, `turn/${this.place}`, 'results of the last turn');
    return record;
  }

  /** Writes the record of the turn. If another attempt wrote one first, returns that one. */
  keep({ ran, left }: TurnRecord): Promise<TurnRecord> {
    const record = { ran: ran.map(toRecorded), ...(left.length === 0 ? {} : { left }) };
    return this.write(`turn/${this.place}`, record, turnRecordSchema);
  }

  /** Returns the result of one call, if it took long and an earlier attempt recorded it by itself. */
  findCall(index: number): Promise<InsideCall | undefined> {
    return this.read(`tool/${this.place}/${index}`, insideCallSchema);
  }

  /** Records the result of one call before the others have ended. */
  keepCall(call: InsideCall): Promise<InsideCall> {
    return this.write(`tool/${this.place}/${call.index}`, toRecorded(call), insideCallSchema);
  }

  private async read<Schema extends z.ZodType>(key: string, schema: Schema): Promise<z.infer<Schema> | undefined> {
    const bytes = await this.store.find(key);
    return bytes === undefined ? undefined : this.parse(key, bytes, schema);
  }

  private async write<Schema extends z.ZodType>(
    key: string,
    record: z.input<Schema>,
    schema: Schema,
  ): Promise<z.infer<Schema>> {
    // Not canonical JSON, which rejects some values that a tool may put into an event.
    const text = JSON.stringify(record);
    // A later attempt finds the record and relies on the blobs that it refers to.
    if (anyHash.test(text)) await this.store.flush();
    return this.parse(key, await this.store.putIfAbsent(key, Buffer.from(text)), schema);
  }

  private parse<Schema extends z.ZodType>(key: string, bytes: Uint8Array, schema: Schema): z.infer<Schema> {
    return parseStored(this.store, key, bytes, schema, 'results of a turn');
  }
}
