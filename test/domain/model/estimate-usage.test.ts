import { addUsage, noUsage, withEstimatedUsage } from '../../../domain/model';

const request = { system: 'x'.repeat(2_986), tools: [], messages: [] };
const content = [{ type: 'text', text: 'y'.repeat(272) }];
const usageOf = (usage: Partial<typeof noUsage>, given: readonly unknown[] = content): unknown =>
  withEstimatedUsage({ content: given, usage: { ...noUsage, ...usage } }, request).usage;

describe('token counts', () => {
  test('are used as reported', () => {
    expect(usageOf({ input: 1, output: 1 })).toEqual({ ...noUsage, input: 1, output: 1 });
    expect(usageOf({ cacheRead: 7 }, [])).toEqual({ ...noUsage, cacheRead: 7 });
  });

  test('are estimated as far as they are missing or absurd, and marked', () => {
    expect(usageOf({})).toEqual({ ...noUsage, input: 999, output: 100, estimated: true });
    expect(usageOf({ output: 5 })).toEqual({ ...noUsage, input: 999, output: 5, estimated: true });
    expect(usageOf({ input: 5 })).toEqual({ ...noUsage, input: 5, output: 100, estimated: true });
    expect(usageOf({ input: 1e15, output: 1e15 })).toMatchObject({ input: 999, output: 100 });
  });

  test('stay marked in a sum', () => {
    const estimated = { ...noUsage, input: 1, estimated: true as const };
    expect(addUsage(estimated, noUsage)).toEqual(estimated);
    expect(addUsage(noUsage, estimated)).toEqual(estimated);
    expect(addUsage(noUsage, noUsage)).toEqual(noUsage);
  });
});
