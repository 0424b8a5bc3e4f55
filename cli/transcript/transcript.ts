import type { Client } from '@temporalio/client';
import { Command } from 'commander';
import { findAgent } from '../../client/agent/find-agent';
import type { ConversationEntry, PartialReply } from '../../client/conversation/conversation';
import { Conversations } from '../../client/conversation/conversations';
import { formatBytes, plural } from '../../client/format';
import { findStoredAgent } from '../../client/record/stored-run';
import { displayId, owningRunId, parseAgentId } from '../../domain/kernel';
import { readRoots } from '../../store/run-record';
import { type CliContext, CliError, exitCodes, type Terminal } from '../context';
import { fromServerOrStore } from '../from-store';
import { positiveInteger } from '../options';
import { type EntryStyle, entryLines } from './entry-lines';
import { followTranscript } from './follow-transcript';

interface TranscriptOptions {
  readonly turn?: number;
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly full?: boolean;
  readonly utc?: boolean;
}

/** `baton transcript`: prints what an agent was told, thought, said and did. */
export function transcriptCommand(context: CliContext): Command {
  return new Command('transcript')
    .description("print an agent's conversation: what its model received, thought, said and called, and every result")
    .argument('<run>', 'id of the run, <run>/<delegation>, or a workflow id')
    .option('--turn <number>', 'only this turn, with what the model received before it', positiveInteger)
    .option('-f, --follow', 'wait for more until the agent has ended; on a screen, show the text as it arrives')
    .option('--full', 'show long texts as a whole')
    .option('--utc', 'show times in UTC')
    .option('--json', 'print one JSON object per entry')
    .addHelpText('after', examples)
    .action((target: string, options: TranscriptOptions) => {
      if (options.turn !== undefined && options.follow === true)
        throw new CliError(exitCodes.misused, 'Pass --turn or --follow, not both.');
      return fromServerOrStore(context, target, {
        async server({ client }) {
          const { workflowId } = await findAgent(client, target);
          await printTranscript(context, { client, workflowId, target }, options);
        },
        store: (run) => {
          const { workflowId } = findStoredAgent(run, target);
          return printTranscript(context, { client: null, workflowId, target }, options);
        },
      });
    });
}

const examples = `
Reads the store and, for times, attempts and resets, the server. Needs no worker, and works for runs that the server no
longer has. Texts are folded; --full shows them as a whole. The entries of --json are described in docs/transcripts.md.

Examples:
  $ baton transcript 20261116-031522-k3f9q1
  $ baton transcript 20261116-031522-k3f9q1/4f7s9k2m --follow
  $ baton transcript 20261116-031522-k3f9q1 --turn 3 --full
  $ baton transcript 20261116-031522-k3f9q1 --json | jq -r 'select(.kind == "turn") | .text[].text'
`;

/** An agent, and what was typed to name it. */
interface NamedAgent {
  readonly client: Client | null;
  readonly workflowId: string;
  readonly target: string;
}

async function printTranscript(
  context: CliContext,
  { client, workflowId, target }: NamedAgent,
  options: TranscriptOptions,
): Promise<void> {
  const { terminal } = context;
  const store = (await context.openStore()).forRun(owningRunId(parseAgentId(target)));
  const conversations = new Conversations(store, client);
  const isWhole = options.json !== true || options.full === true;
  const style = styleOf(terminal, target, options);
  const print = printer(terminal, style, options);
  if (options.turn !== undefined) {
    for (const entry of await turnEntries(conversations, workflowId, options.turn, isWhole)) print(entry);
    return;
  }
  await requireConversation(conversations, workflowId, async () => (await readRoots(store)).at(-1)?.relay ?? null);
  if (options.json !== true) await printHead(terminal, conversations, workflowId);
  if (options.follow === true) {
    await followTranscript(terminal, conversations, { workflowId, style, json: options.json === true, isWhole });
    return;
  }
  for await (const entry of everyEntry(conversations, workflowId, isWhole)) print(entry);
  if (options.json !== true) printSpeaking(terminal, target, await conversations.speaking(workflowId));
}

function styleOf(terminal: Terminal, target: string, { full = false, utc = false }: TranscriptOptions): EntryStyle {
  return { columns: terminal.columns() ?? 80, full, utc, target };
}

function printer(
  terminal: Terminal,
  style: EntryStyle,
  { json }: TranscriptOptions,
): (entry: ConversationEntry) => void {
  return (entry) => {
    if (json === true) terminal.printJson(entry);
    else terminal.printLines([...entryLines(entry, style), []]);
  };
}

const perPage = 50;

async function* everyEntry(
  conversations: Conversations,
  workflowId: string,
  whole: boolean,
): AsyncGenerator<ConversationEntry> {
  for (let after = -1; ;) {
    const { entries } = await conversations.read(workflowId, { after, limit: perPage, whole });
    yield* entries;
    const last = entries.at(-1);
    if (last === undefined) return;
    after = last.position;
  }
}

/** The entries of a turn: what the model received before it, and the turn. Also of versions that were taken back. */
async function turnEntries(
  conversations: Conversations,
  workflowId: string,
  turn: number,
  whole: boolean,
): Promise<readonly ConversationEntry[]> {
  const places = await conversations.turns(workflowId, turn);
  if (places.length === 0) {
    const taken = await countTurns(conversations, workflowId);
    throw new CliError(
      exitCodes.failed,
      `${displayId(workflowId)} has no turn ${turn}. It has taken ${plural(taken, 'turn')}.`,
    );
  }
  const pages = places.map(({ from, position }) =>
    conversations.read(workflowId, { after: from - 1, limit: position - from + 1, whole }),
  );
  return (await Promise.all(pages)).flatMap(({ entries }) => entries);
}

async function countTurns(conversations: Conversations, workflowId: string): Promise<number> {
  const { entries } = await conversations.read(workflowId, { limit: 20 });
  const turns = entries.flatMap((entry) => (entry.kind === 'turn' ? [entry.turn] : []));
  return Math.max(0, ...turns);
}

/** The root of a relay calls no model: its steps do. */
async function requireConversation(
  conversations: Conversations,
  workflowId: string,
  relayOf: () => Promise<string | null>,
): Promise<void> {
  const { total } = await conversations.read(workflowId, { limit: 1 });
  const isRoot = !displayId(workflowId).includes('/');
  const relay = total <= 1 && isRoot ? await relayOf() : null;
  if (relay === null) return;
  throw new CliError(
    exitCodes.failed,
    `${displayId(workflowId)} is the relay ${relay}, which has no conversation of its own. Its steps have.`,
    `List them with: baton tree ${displayId(workflowId)} --all`,
  );
}

async function printHead(terminal: Terminal, conversations: Conversations, workflowId: string): Promise<void> {
  const { prompt } = await conversations.read(workflowId, { after: -1, limit: 1 });
  if (prompt === null) return;
  const name = displayId(workflowId);
  terminal.printLines([
    [
      { text: 'system prompt', style: 'strong' },
      { text: ` · ${formatBytes(prompt.bytes)}`, style: 'quiet' },
    ],
    [{ text: `  baton prompt ${name}`, style: 'quiet' }],
    [],
  ]);
}

function printSpeaking(terminal: Terminal, target: string, reply: PartialReply | null): void {
  if (reply === null) return;
  terminal.note(`The model is taking turn ${reply.turn}. Watch it with: baton transcript ${target} --follow`);
}
