import type { Redact } from '../../domain/kernel';
import { cleanServerText } from '../../domain/mcp';

/** Receives log lines about servers. */
export type McpLog = (level: 'info' | 'warn', message: string, facts: Readonly<Record<string, unknown>>) => void;

const maxLineLength = 1_000;
/** Maximum lines that are logged per minute and server. */
const maxLinesPerMinute = 60;
const minuteMs = 60_000;

/** Logs what a server writes to stderr, and lines on stdout that are not messages, up to a limit. */
export class ServerOutput {
  private last: string | undefined;
  private minute = 0;
  private lines = 0;

  constructor(
    private readonly server: string,
    private readonly log: McpLog,
    private readonly redact: Redact,
  ) {}

  /** Call it when the server is started: what it wrote before does not explain what happens now. */
  begin(): void {
    this.last = undefined;
  }

  receive(line: string, stream: 'stdout' | 'stderr'): void {
    const text = this.redact(cleanServerText(line, maxLineLength)).trim();
    if (text === '') return;
    if (stream === 'stderr') this.last = text;
    const minute = Math.floor(Date.now() / minuteMs);
    if (minute !== this.minute) {
      if (this.lines > maxLinesPerMinute)
        this.log('info', 'Lines of an MCP server were not logged', {
          server: this.server,
          lines: this.lines - maxLinesPerMinute,
        });
      this.minute = minute;
      this.lines = 0;
    }
    this.lines += 1;
    if (this.lines > maxLinesPerMinute) return;
    const what =
      stream === 'stderr' ? 'MCP server wrote to stderr' : 'MCP server wrote to stdout what is not a message';
    this.log('info', what, { server: this.server, line: text });
  }

  /** The last line on stderr, which often says why a server ended. */
  lastLine(): { readonly lastLine?: string } {
    return this.last === undefined ? {} : { lastLine: this.last };
  }
}
