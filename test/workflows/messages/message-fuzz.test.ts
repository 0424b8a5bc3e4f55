import fc from 'fast-check';
import type { Json } from '../../../domain/kernel';
import { hang } from '../../../testing/scripted-model';
import { messageContracts } from '../../../workflows/contracts';
import { readSent } from '../../../workflows/sent';
import { sentTo } from '../../fuzz/support/sent';
import { casesOf, fuzzSeed, report, Tally } from '../../fuzz/support/target';
import { Harness } from '../../support/harness';
import { failedTasks, json, RawRequests } from '../../support/raw-requests';

type Contract = (typeof messageContracts)[number];

const cases = Math.min(casesOf(120), 1_000);

/** Messages that an agent handles, each with something that is sent with it. */
const messages = fc.oneof(
  ...messageContracts
    .filter(({ name }) => !/^(applyTurns|readText|closeSession|isClosed)$/.test(name))
    .map((contract) => sentTo(contract).map((sent) => ({ contract: contract, sent }))),
);

describe('generated messages', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => hang());
  });
  afterAll(() => harness.close());

  /** Sends a message. An agent may still refuse what its contract accepts, because of its state. */
  async function send(to: RawRequests, { kind, name, input }: Contract, sent: Json): Promise<'accepted' | 'refused'> {
    const isValid = readSent(input, sent).ok;
    if (kind === 'signal') {
      await to.signal(name, [json(sent)]);
      return isValid ? 'accepted' : 'refused';
    }
    const answer = await (kind === 'query' ? to.query(name, [json(sent)]) : to.update(name, [json(sent)]));
    if (answer.ok && !isValid) throw new Error(`${name} accepted ${JSON.stringify(sent)}`);
    return answer.ok ? 'accepted' : 'refused';
  }

  test(`never stop an agent (BATON_FUZZ_SEED=${fuzzSeed})`, async () => {
    const { workflowId } = await harness.startRun({});
    await harness.model.waitForCall(0);
    const to = new RawRequests(harness.client, workflowId);
    const tally = new Tally();
    for (const { contract, sent } of fc.sample(messages, { numRuns: cases, seed: fuzzSeed }))
      await tally.time(() => send(to, contract, sent));
    expect(await to.query('snapshot')).toEqual({ ok: true });
    expect(await failedTasks(harness.client, workflowId)).toEqual([]);
    report('messages to a running agent', tally);
    tally.requireShares({ accepted: 0.1, refused: 0.1 });
    await harness.client.workflow.getHandle(workflowId).cancel();
  }, 600_000);
});
