import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { createActivities } from '../../../activities/create-activities';
import type { ModelAnswer, ModelPort } from '../../../activities/dependencies';
import type { AgentActivities } from '../../../activities/interface';
import { builtInTools } from '../../../activities/tool/builtin';
import {
  areTurns,
  defaultLimits,
  type Inside,
  type OpenedAgent,
  type RunTurnInput,
  type RunTurnResult,
  type Turn,
} from '../../../domain/agent';
import type { JsonObject } from '../../../domain/kernel';
import {
  applyRequests,
  type ApplyRequest,
  builtInSlices,
  createSessionSchema,
  emptySession,
  type HostState,
  notesSlice,
  type PackedReplies,
  recordsOf,
} from '../../../domain/session';
import type { Store } from '../../../domain/store';
import { openFileStore } from '../../../store/file/open-file-store';
import { unsyncedFiles } from '../../store/support/failing-files';
import { newFolder } from '../../store/support/folders';
import { quietEnvironment } from '../../support/activity-environment';
import { turnInput } from '../agent/turn-support';

const schema = createSessionSchema(builtInSlices);

/** A client of one host, which applies requests as the workflow does. */
class Host {
  state: HostState = { session: emptySession(schema), writers: {} };
  readonly received: ApplyRequest[] = [];
  /** What happens instead of, or after, the next Update. */
  trouble: 'lost on the way back' | 'closed' | 'gone' | undefined;

  get notes(): string[] {
    return recordsOf(this.state.session, notesSlice).map(({ text }) => text);
  }

  asClient(): Client {
    const getHandle = (): unknown => ({
      executeUpdate: (_: string, { args: [{ requests }] }: { args: [{ requests: ApplyRequest[] }] }) =>
        Promise.resolve().then(() => this.apply(requests)),
    });
    return { workflow: { getHandle } } as unknown as Client;
  }

  private apply(requests: readonly ApplyRequest[]): PackedReplies {
    const { trouble } = this;
    this.trouble = undefined;
    this.received.push(...requests);
    if (trouble === 'gone') throw new WorkflowNotFoundError('not found', 'host', undefined);
    if (trouble === 'closed') return { replies: requests.map(() => ({ ok: false, reason: 'closed' })) };
    const { state, replies } = applyRequests(schema, this.state, [], requests);
    this.state = state;
    if (trouble !== undefined) throw new Error('The connection was lost');
    return replies;
  }
}

/** A model that requests these tools. */
function requesting(...calls: readonly (readonly [name: string, input: JsonObject])[]): ModelPort {
  const content = calls.map(([name, input], index) => ({ type: 'toolCall' as const, id: `c${index}`, name, input }));
  const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5 };
  const answer: ModelAnswer = { usage, model: 'claude-sonnet-5-5', content, stopReason: 'toolCalls' };
  return {
    nativeStructuredOutput: false,
    reply: () => Promise.resolve(answer),
    countTokens: () => Promise.resolve(0),
  };
}

const note = (text: string): [string, JsonObject] => ['add_note', { text }];
const model = { name: 'claude-sonnet-5-5', maxTokens: 4_000, window: 200_000 };

let store: Store;
let opened: OpenedAgent;
let host: Host;
let executions = 0;
const worker = (answering: ModelPort): AgentActivities =>
  createActivities({
    store,
    model: answering,
    tools: builtInTools,
    prompts: [],
    client: host.asClient(),
    searchAttributes: false,
    place: () => Promise.resolve(undefined),
  });

beforeEach(async () => {
  host = new Host();
  executions += 1;
  if (executions > 1) return;
  store = await openFileStore(await newFolder(), { files: unsyncedFiles });
  const { openRun } = worker(requesting());
  opened = await quietEnvironment().run(openRun, { runId: 'r1', goal: 'Do it.', model, limits: defaultLimits });
});

const place = { writer: 'd1', epoch: 'run-1', at: 1_000, seq: 0, since: 0, turn: 1 };
const inputOf = (apply: Partial<NonNullable<Inside['apply']>> = {}, call = 0): RunTurnInput =>
  turnInput({
    runId: 'r1',
    storeId: opened.storeId,
    head: opened.opening,
    identity: { execution: `e${executions}`, call, try: 0 },
    inside: { apply: { host: 'host', ...place, ...apply } },
  });

/** Takes a turn in an execution of the agent. */
async function take(answering: ModelPort, input: RunTurnInput, runId = 'run-1'): Promise<Turn> {
  const environment = quietEnvironment({ workflowExecution: { workflowId: 'agent', runId } });
  const turn: RunTurnResult = await environment.run(worker(answering).runTurn, input);
  if (!areTurns(turn)) throw new Error(JSON.stringify(turn));
  return turn;
}

describe('a turn of a writer to a shared session', () => {
  test('sends what its calls change in one request, and returns the reply instead of the events', async () => {
    const turn = await take(requesting(note('one'), note('two')), inputOf());
    expect(host.received).toHaveLength(1);
    expect(host.received[0]).toMatchObject({ ...place, resent: false, wanted: [{ tool: 'add_note' }, {}] });
    expect(host.notes).toEqual(['one', 'two']);
    expect(turn.applied).toMatchObject({ verdicts: [{}, {}], update: { delta: { to: 4 } } });
    expect(turn.ran?.map(({ name, events }) => [name, events])).toEqual([
      ['add_note', undefined],
      ['add_note', undefined],
    ]);
    expect(turn.unanswered).toBeUndefined();
  });

  test('sends the same again in its next attempt, and the session is changed once', async () => {
    const first = await take(requesting(note('one')), inputOf());
    // The second attempt would get another answer, if it asked.
    const second = await take(requesting(note('other')), inputOf());
    expect(host.notes).toEqual(['one']);
    expect(host.received.map(({ digest }) => digest)).toEqual([host.received[0]?.digest, host.received[0]?.digest]);
    expect(second.applied?.verdicts).toEqual(first.applied?.verdicts);
  });

  test('is not sent a second time as something new if the reply is lost: the workflow repeats the same request', async () => {
    host.trouble = 'lost on the way back';
    const turn = await take(requesting(note('one')), inputOf());
    expect(turn).toMatchObject({ unanswered: 'run-1', ran: [{ events: [{ type: 'noteAdded' }] }] });
    const [request] = host.received;
    const { wanted } = request!;
    // The workflow sends what the result says; after a reset in the meantime, in the name of the execution before.
    const environment = quietEnvironment({ workflowExecution: { workflowId: 'agent', runId: 'run-2' } });
    const location = { runId: 'r1', storeId: opened.storeId };
    const input = { ...location, host: 'host', request: { ...place, epoch: turn.unanswered!, wanted } };
    await environment.run(worker(requesting()).applySession, input);
    expect(host.notes).toEqual(['one']);
  });

  test('that stalled changes nothing when the next turn has written already, or a later execution', async () => {
    const early = requesting(note('early'));
    await take(early, inputOf());
    await take(requesting(note('late')), inputOf({ seq: 1, at: 2_000, turn: 2 }, 1));
    await take(early, inputOf());
    expect(host.notes).toEqual(['early', 'late']);
    await take(requesting(note('after the reset')), inputOf({ epoch: 'run-2', at: 3_000 }, 2), 'run-2');
    const fenced = await take(requesting(note('never')), inputOf({ seq: 2, at: 2_500, turn: 3 }, 3));
    expect(fenced.applied ?? fenced.unanswered).toBeUndefined();
    expect(host.notes).toEqual(['early', 'late', 'after the reset']);
  });

  test('pending at a reset is applied once, in the name of the execution that scheduled it', async () => {
    await take(requesting(note('one')), inputOf());
    const turn = await take(requesting(note('one')), inputOf(), 'run-2');
    expect(host.received.at(-1)).toMatchObject({ epoch: 'run-1', resent: true });
    expect(turn.applied?.verdicts).toEqual([{}]);
    expect(host.notes).toEqual(['one']);
  });

  test.each(['closed', 'gone'] as const)(
    'leaves it to the workflow to find out that the host is %s',
    async (trouble) => {
      host.trouble = trouble;
      const turn = await take(requesting(note('one')), inputOf());
      expect(turn.applied).toBeUndefined();
      expect(turn.ran).toMatchObject([{ events: [{ type: 'noteAdded' }] }]);
    },
  );

  test('sends nothing if a call is left to the workflow, or if it is too much for one request', async () => {
    const mixed = await take(requesting(note('one'), ['dispatch_subagent', {}]), inputOf());
    expect(mixed).toMatchObject({ ran: [{ name: 'add_note' }], calls: [{ name: 'dispatch_subagent' }] });
    const much = await take(
      requesting(...Array.from({ length: 8 }, (_, index) => note(`${index}`.repeat(1_000)))),
      inputOf({}, 1),
    );
    expect(much.ran).toHaveLength(8);
    expect(host.received).toHaveLength(1);
    const most = { steps: Array.from({ length: 40 }, () => 's'.repeat(280)) };
    const tooMuch = await take(requesting(['add_plan_steps', most], ['add_plan_steps', most]), inputOf({ seq: 1 }, 2));
    expect(tooMuch.applied ?? tooMuch.unanswered).toBeUndefined();
    expect(host.received).toHaveLength(1);
  });

  test('passes a large change of the session by reference', async () => {
    const long = Array.from({ length: 60 }, (_, index) => ({
      tool: 'add_note',
      callId: `x${index}`,
      isError: false,
      changes: [],
      events: [{ type: 'noteAdded', value: { text: `${index} `.repeat(300).slice(0, 900), by: 'other' } }],
    }));
    const others = { ...place, writer: 'd2', resent: false, digest: 'd', wanted: long };
    host.state = applyRequests(schema, host.state, [], [others]).state;
    const turn = await take(requesting(note('one')), inputOf());
    expect(turn.applied).toMatchObject({ verdicts: [{}], updateRef: { mediaType: 'application/json' } });
    expect(turn.applied).not.toHaveProperty('update');
  });
});
