import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { defineTool, type Tool } from '../../activities/tool/define-tool';

/** A request to book a seat. */
interface BookingRequest {
  readonly key: string;
  readonly seat: string;
}

/** An API that books once per idempotency key, like those of payment providers. */
export class BookingServer {
  /** All requests, repeated ones included. */
  readonly requests: BookingRequest[] = [];
  /** What was booked, by key. */
  readonly bookings = new Map<string, string>();
  /** Whether requests are booked, but not answered. */
  isSilent = false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<BookingServer> {
    const server = createServer((request, response) => {
      booking.answer(request, response);
    });
    const booking = new BookingServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return booking;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const key = String(request.headers['idempotency-key']);
    const seat = new URL(request.url ?? '', this.url).searchParams.get('seat') ?? '';
    this.requests.push({ key, seat });
    if (!this.bookings.has(key)) this.bookings.set(key, `B${this.bookings.size + 1} ${seat}`);
    if (!this.isSilent) response.end(this.bookings.get(key));
  }
}

/** A tool that may be repeated although it books, because it sends its key. */
export function bookingTool(url: string): Tool {
  return defineTool({
    name: 'book_seat',
    id: 'test/book_seat@1',
    description: 'Books a seat.',
    parameters: z.strictObject({ seat: z.string() }),
    success: 'The seat is booked.',
    cost: 'One seat.',
    safeToRepeat: true,
    async run({ seat }, { key, signal }) {
      const response = await fetch(`${url}/bookings?seat=${encodeURIComponent(seat)}`, {
        method: 'POST',
        headers: { 'Idempotency-Key': key },
        signal,
      });
      return { message: `Booked: ${await response.text()}` };
    },
  });
}
