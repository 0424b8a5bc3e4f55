import { type OutputFormat, outputInstructions } from '../../prompt/output';

const onlyThis = 'Only this message and your artifacts reach the delegating agent.';

/** What Reporting Requirements say about the final message: its schema if there is one, otherwise markdown. */
export function answerFormat(output: OutputFormat | null): string {
  if (output === null) return `Markdown, at most 4,000 characters. ${onlyThis}`;
  return `${outputInstructions(output)}\n\n${onlyThis}`;
}

/** The final message among the required outputs. */
export function requiredMessage(output: OutputFormat | null): string {
  if (output === null) return 'A self-contained final message of at most 4,000 characters.';
  return 'A self-contained final message in exactly the format that Reporting Requirements define.';
}
