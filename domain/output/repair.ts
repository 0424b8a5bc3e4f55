/**
 * What an agent is told, once, when its final message is not as its skill asks. A file of its own: workflow code says it,
 * and must not load an XML parser for that.
 */
export function repairRequest(violation: string): string {
  return [
    'Your final message does not have the required form. This is wrong with it:',
    '',
    violation,
    '',
    'Answer with the corrected message only: the whole of it, in the form that your instructions give, and nothing else.',
  ].join('\n');
}
