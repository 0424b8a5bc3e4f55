import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

/** A booking, as the harbour's server received it. */
const bookingSchema = z.object({ ship: z.string(), berth: z.number(), key: z.string() });
type Booking = Readonly<z.infer<typeof bookingSchema>>;

/** Name of the MCP server, and of its tool as agents see it. */
export const harbourServer = 'harbour';
export const bookBerth = `mcp__${harbourServer}__book_berth`;

/** An MCP server of the demo's workers. */
export interface Harbour {
  /** File that tells workers how to start the server. */
  readonly config: string;
  bookings(): Promise<readonly Booking[]>;
  remove(): Promise<void>;
}

/** Writes the configuration of the server into a temporary folder. Workers start it when a run needs it. */
export async function prepareHarbour(): Promise<Harbour> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-harbour-'));
  const [config, file] = [join(folder, 'mcp.json'), join(folder, 'bookings.jsonl')];
  const entry = { command: process.execPath, args: [join(__dirname, 'harbour-server.js'), file] };
  await writeFile(file, '');
  await writeFile(config, JSON.stringify({ mcpServers: { [harbourServer]: entry } }));
  return {
    config,
    async bookings() {
      const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
      return lines.map((line) => bookingSchema.parse(JSON.parse(line)));
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
