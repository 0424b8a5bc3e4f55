import type { Answer, AnswerOptions, ScriptedToolUse } from './reply';

/** The model answers with text. */
export function say(text: string, options: AnswerOptions = {}): Answer {
  return { kind: 'answer', text, tools: [], ...options };
}

/** The model wants one tool, perhaps after saying something. */
export function useTool(
  name: string,
  input: unknown,
  options: AnswerOptions & { text?: string; id?: string } = {},
): Answer {
  const { text, id, ...rest } = options;
  return useTools(
    [{ name, input, ...(id === undefined ? {} : { id }) }],
    text === undefined ? rest : { ...rest, text },
  );
}

/** The model wants several tools in one turn. */
export function useTools(tools: readonly ScriptedToolUse[], options: AnswerOptions & { text?: string } = {}): Answer {
  return { kind: 'answer', text: '', tools, ...options };
}

/** The model declines to answer. */
export function refuse(text = '', options: AnswerOptions = {}): Answer {
  return say(text, { ...options, stopReason: 'refusal' });
}
