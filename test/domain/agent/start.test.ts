import { readRunStart } from '../../../domain/agent';
import { readRelayStart } from '../../../domain/relay';

describe.each([
  ['a run', readRunStart],
  ['a relay', readRelayStart],
])('the start argument of %s', (_, read) => {
  // A workflow that threw here would be retried forever. The first activity rejects the input instead.
  test.each([undefined, null, 7, 'text', [], ['text'], {}])('is accepted as an object, even %p', (start) => {
    expect(read(start)).toEqual({ ...Object(start) });
  });
});
