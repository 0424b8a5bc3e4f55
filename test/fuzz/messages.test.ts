import fc from 'fast-check';
import type { Json, MessageContract, WorkflowContract } from '../../domain/kernel';
import { messageContracts, workflowContracts } from '../../workflows/contracts';
import { readSent } from '../../workflows/sent';
import { expectNotQuadratic } from './support/growth';
import { sentTo } from './support/sent';
import { fuzz, type Outcome } from './support/target';

type Contract = MessageContract | WorkflowContract;

/** Reads a value as the workflow does. What is accepted can be sent again, and is then accepted too. */
function read({ input, name }: Contract, sent: Json): Outcome {
  const first = readSent(input, sent);
  if (!first.ok) {
    expect(first.reason.length).toBeGreaterThan(0);
    expect(first.reason.length + first.field.length).toBeLessThan(20_000);
    return 'refused';
  }
  const again = readSent(input, JSON.parse(JSON.stringify(first.value ?? null)) as Json);
  if (!again.ok) throw new Error(`${name} refuses what it has accepted: ${again.field}: ${again.reason}`);
  return 'accepted';
}

const target = (contracts: readonly Contract[]): fc.Arbitrary<{ contract: Contract; sent: Json }> =>
  fc.oneof(...contracts.map((contract) => sentTo(contract).map((sent) => ({ contract, sent }))));

describe('what is sent to a workflow', () => {
  fuzz({
    name: 'Updates, Signals and Queries',
    input: target(messageContracts),
    run: ({ contract, sent }) => read(contract, sent),
    shares: { accepted: 0.2, refused: 0.2 },
    cases: 1_500,
  });

  fuzz({
    name: 'inputs of workflows',
    input: target(workflowContracts),
    run: ({ contract, sent }) => read(contract, sent),
    shares: { accepted: 0.05, refused: 0.2 },
    cases: 1_500,
  });

  test('takes no time that grows with the square of its size', async () => {
    await expectNotQuadratic(2_000, (size) => {
      const sent = { goal: 'x', unknown: Array.from({ length: size }, (_, index) => ({ [`k${index}`]: 'x' })) };
      const steering = { text: 'x'.repeat(size), note: 'y'.repeat(size) };
      return () => {
        for (const contract of workflowContracts) readSent(contract.input, sent);
        for (const contract of messageContracts) readSent(contract.input, steering);
      };
    });
  });
});
