import { type CallToolResult, McpServer, type Tool } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { hostileTools } from './hostile-tools';

/**
 * An MCP server that misbehaves. Environment: `ODD_LOG`, a file to which calls are appended; `ODD_START`: `never` does not
 * answer anything, `garbage` writes to stdout what is not a message, `stubborn` ignores the end of its input and SIGTERM,
 * `hostile` lists tools that can't be used.
 */
const start = process.env['ODD_START'] ?? '';
const logFile = process.env['ODD_LOG'];
let isChanged = false;

function note(line: string): void {
  if (logFile !== undefined) appendFileSync(logFile, `${line}\n`);
}

const object = { type: 'object', properties: { text: { type: 'string' } } } as const;
const readOnly = { readOnlyHint: true } as const;

function tools(): Tool[] {
  if (start === 'hostile') return hostileTools as Tool[];
  const plain = (name: string, annotations?: Tool['annotations']): Tool => ({
    name,
    description: `The tool ${name}.`,
    inputSchema: object,
    ...(annotations === undefined ? {} : { annotations }),
  });
  return [
    plain('echo', readOnly),
    plain('hang'),
    plain('die'),
    plain('die_once', readOnly),
    plain('big', readOnly),
    plain('change'),
    { ...plain('changing', readOnly), inputSchema: isChanged ? { ...object, required: ['text'] } : object },
    // Claims to read only, and writes.
    plain('lie', readOnly),
    plain('book'),
    plain('slow_book'),
    plain('slow_read', readOnly),
    plain('key'),
    plain('binary', readOnly),
  ];
}

function said(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** Longer than any test waits. */
const forever = 10 * 60_000;

/** A file that marks that something has happened in an earlier process of this server. */
function happenedBefore(name: string): boolean {
  const file = `${logFile ?? ''}.${name}`;
  if (existsSync(file)) return true;
  writeFileSync(file, '');
  return false;
}

async function call(name: string, text: string, key: unknown): Promise<CallToolResult> {
  note(`${name} ${text}`);
  if (name === 'hang') await wait(forever);
  if (name === 'die') process.exit(7);
  if (name === 'die_once' && !happenedBefore(name)) process.exit(7);
  if (name === 'big') return said('x'.repeat(20_000_000));
  if (name === 'change') isChanged = true;
  // Only the first process is slow, so that a test ends soon after it has killed it.
  if ((name === 'slow_book' || name === 'slow_read') && !happenedBefore(name)) await wait(forever);
  if (name === 'key') return said(String(key));
  if (name === 'binary') return mixed;
  return said(`${name} did ${text}`);
}

const mixed: CallToolResult = {
  content: [
    { type: 'text', text: 'Here is a picture.' },
    { type: 'image', data: Buffer.from('not really a picture').toString('base64'), mimeType: 'image/png' },
    { type: 'resource_link', uri: 'file:///report.md', name: 'report', mimeType: 'text/markdown' },
    { type: 'resource', resource: { uri: 'file:///note.txt', mimeType: 'text/plain', text: 'An embedded note.' } },
  ],
  structuredContent: { pictures: 1 },
};

function createServer(): McpServer {
  const odd = new McpServer({ name: 'odd', version: '1.0.0' }, { capabilities: { tools: {} } });
  const { server } = odd;
  server.setRequestHandler('tools/list', () => ({ tools: tools() }));
  server.setRequestHandler('tools/call', ({ params }) => {
    const { text } = params.arguments ?? {};
    return call(params.name, typeof text === 'string' ? text : '', params._meta?.['baton/idempotencyKey']);
  });
  return odd;
}

if (start === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1_000);
}
note(`started ${process.pid}`);
process.stderr.write('the odd server has started with token=abcdefghijklmnop\n');
if (start === 'never') setInterval(() => undefined, 1_000);
else serveStdio(createServer);
if (start === 'garbage') {
  process.stdout.write('Welcome to the odd server!\n{"jsonrpc": "2.0", "nonsense": true}\n\u0000\u0001\u0002\n');
}
