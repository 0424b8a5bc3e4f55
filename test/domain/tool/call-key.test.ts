import { callKey, type ToolCall } from '../../../domain/tool';

const reply = { execution: 'e1', call: 3, try: 0 };
const call: ToolCall = { id: 'toolu_1', name: 'book', input: { text: '{"seat":1}' } };
const ref = { hash: 'a'.repeat(64), bytes: 900, mediaType: 'application/json' };

describe('the idempotency key of a tool call', () => {
  test('is a UUID of version 8', () => {
    expect(callKey(reply, 0, call)).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  test('is always the same for the same call', () => {
    expect(callKey({ ...reply }, 0, { ...call, key: 'ignored' })).toBe(callKey(reply, 0, call));
  });

  test('differs by agent, model call, try, place in the reply, id, tool and input', () => {
    const keys = [
      callKey(reply, 0, call),
      callKey({ ...reply, execution: 'e2' }, 0, call),
      callKey({ ...reply, call: 4 }, 0, call),
      callKey({ ...reply, try: 1 }, 0, call),
      callKey(reply, 1, call),
      callKey(reply, 0, { ...call, id: 'toolu_2' }),
      callKey(reply, 0, { ...call, name: 'cancel' }),
      callKey(reply, 0, { ...call, input: { text: '{"seat":2}' } }),
      callKey(reply, 0, { ...call, input: { ref } }),
      callKey(reply, 0, { ...call, input: { ref: { ...ref, hash: 'b'.repeat(64) } } }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('exists for ids that are not valid Unicode', () => {
    expect(callKey(reply, 0, { ...call, id: '\ud800' })).toMatch(/^[\da-f-]{36}$/);
  });
});
