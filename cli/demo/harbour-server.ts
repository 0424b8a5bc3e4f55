// An MCP server over standard input and output, for the demo: it books berths, and appends each booking to a file.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const tool = {
  name: 'book_berth',
  description: 'Books a berth for a ship. It costs money.',
  inputSchema: {
    type: 'object',
    properties: { ship: { type: 'string' }, berth: { type: 'integer' } },
    required: ['ship', 'berth'],
    additionalProperties: false,
  },
};

const requestSchema = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  params: z.looseObject({}).optional(),
});
type Request = z.infer<typeof requestSchema>;

const bookingSchema = z.object({
  arguments: z.object({ ship: z.string(), berth: z.number() }),
  _meta: z.looseObject({ 'baton/idempotencyKey': z.string() }),
});

/** Returns the result of a request; undefined for a method that this server does not have. */
function resultOf({ method, params = {} }: Request, file: string): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params['protocolVersion'],
        capabilities: { tools: {} },
        serverInfo: { name: 'harbour', version: '1.0.0' },
      };
    case 'tools/list':
      return { tools: [tool] };
    case 'tools/call':
      return book(params, file);
    default:
      return undefined;
  }
}

function book(params: unknown, file: string): object {
  const { arguments: booking, _meta: meta } = bookingSchema.parse(params);
  appendFileSync(file, `${JSON.stringify({ ...booking, key: meta['baton/idempotencyKey'] })}\n`);
  return { content: [{ type: 'text', text: `Berth ${booking.berth} is booked for the ${booking.ship}.` }] };
}

/** Answers requests, one per line, until standard input ends. Notifications have no id, and get no answer. */
function serve(file: string): void {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const request = requestSchema.safeParse(JSON.parse(line)).data;
    if (request === undefined) return;
    const result = resultOf(request, file);
    const answer = result === undefined ? { error: { code: -32_601, message: 'Method not found' } } : { result };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer })}\n`);
  });
}

serve(process.argv[2] ?? '');
