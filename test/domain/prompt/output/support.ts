import { checkOutput, type OutputFormat } from '../../../../domain/prompt/output';
import { maxViolationCharacters } from '../../../../domain/prompt/output/violation';

/** Returns the violation of a message that must be refused. */
export function violationIn(format: OutputFormat, text: string): string {
  const checked = checkOutput(format, text);
  if (checked.ok) throw new Error(`accepted: ${checked.text.slice(0, 200)}`);
  expect(checked.violation.length).toBeLessThanOrEqual(maxViolationCharacters);
  return checked.violation;
}

export const plan: OutputFormat = {
  xml: {
    root: 'plan',
    fields: [
      { name: 'goal' },
      { name: 'step', repeated: true, fields: [{ name: 'id' }, { name: 'after', optional: true, repeated: true }] },
      { name: 'risk', optional: true },
    ],
  },
};

export const step = '<step><id>s1</id></step>';

export function respond(inside: string): string {
  return `<response><plan>${inside}</plan></response>`;
}
