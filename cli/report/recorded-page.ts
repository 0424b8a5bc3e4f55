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

  /** Completes the page. The rows of the agents come last, one by one. */
  async end({ run: { agents, ...run }, ...recorded }: RecordedRun): Promise<void> {
    const begun = this.next === ',' ? '' : this.next;
    await this.write(`${begun}},${fieldsOf(recorded)},"run":{${fieldsOf(run)},"agents":[`);
    for (const [index, agent] of agents.entries()) await this.write(`${index === 0 ? '' : ','}${asData(agent)}`);
    await this.write(`]}}</script>${this.after}`);
  }
}

/** The data of an object without its braces. */
function fieldsOf(value: object): string {
  return asData(value).slice(1, -1);
}

function asData(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
