import { whyText } from '../../../cli/agent/why';
import { diagnosis } from '../../../client/why/why';

const remedy = 'Set a valid `ANTHROPIC_API_KEY` for the worker and restart it. Then retry the waiting agents.';
const said = (message: string): string =>
  whyText(diagnosis({ verdict: 'waiting', path: ['run/r'], type: 'Model.Unauthorized', message, remedy }), {
    now: 0,
    utc: true,
  });

describe('what to do is said once', () => {
  test('when the message ends within it', () => {
    expect(said(`401: invalid x-api-key. ${remedy.slice(0, 70)}…`)).toBe(
      [
        'waiting     root',
        'where       r',
        'why         Model.Unauthorized: 401: invalid x-api-key.',
        `what to do  ${remedy}`,
      ].join('\n'),
    );
  });

  test('when the message has all of it', () => {
    expect(said(`401. ${remedy}`).split('Then retry')).toHaveLength(2);
  });
});
