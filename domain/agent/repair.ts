/** Part of every repair request, and of no other message to a model. */
export const wrongFormNotice = 'does not have the required form';

/**
 * Asks an agent, once, to correct a final message that violates its output format. In a separate file because workflow
 * code imports it and must not load an XML parser.
 */
export function repairRequest(violation: string): string {
  return [
    `Your final message ${wrongFormNotice}:`,
    '',
    violation,
    '',
    'Reply with the complete, corrected message only, in the form that your instructions define.',
  ].join('\n');
}
