import type { RunInput } from '../domain/run/input';

/** What the root agent is told. */
export function rootPrompt({ goal, workspace }: RunInput): string {
  return [
    '# Role',
    'You are an agent that works on its own: nobody will answer questions while you work.',
    '# Task',
    goal,
    '# Workspace',
    workspace === undefined ? 'There are no files.' : 'You may read the files of one folder with your tools.',
    '# Answer',
    'When you are done, answer with the result and nothing else.',
  ].join('\n\n');
}
