import type { Recording } from '../../page/protocol';
import { contentPolicy } from '../ui/http/page-file';

/** Everything that a recording has besides the data of its agents. */
export type RecordedRun = Omit<Recording, 'agents'>;

/**
 * Writes the page with a recording inside: first the agents, one by one, so that they need not be kept in memory. It is
 * the page of `baton ui`, except that it may not send any request. `<` is escaped in the data, so that no text can end the
 * element it is in.
 */
export class RecordedPage {
  private readonly after: string;
  private next: string;

  constructor(
    html: string,
    private readonly write: (piece: string) => Promise<void>,
  ) {
    const policy = `<meta http-equiv="Content-Security-Policy" content="${contentPolicy(html, "'none'")}">`;
    const [before = '', after = ''] = html.replace('<!--policy-->', () => policy).split('<!--recording-->');
    this.next = `${before}<script type="application/json" id="recording">{"agents":{`;
    this.after = after;
  }

  /** Adds the packed data of an agent. */
  agent(path: string, packed: string): Promise<void> {
    const piece = `${this.next}${asData(path)}:${asData(packed)}`;
    this.next = ',';
    return this.write(piece);
  }

  /** Completes the page. */
  end(run: RecordedRun): Promise<void> {
    const begun = this.next === ',' ? '' : this.next;
    return this.write(`${begun}},${asData(run).slice(1)}</script>${this.after}`);
  }
}

function asData(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
