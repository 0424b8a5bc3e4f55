/**
 * Asks an agent, once, to correct a final message that violates its output format. In a separate file because workflow
 * code imports it and must not load an XML parser.
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
