import type { Answer, AnswerOptions, ScriptedToolUse } from './reply';

/** Replies with text. */
export function say(text: string, options: AnswerOptions = {}): Answer {
  return { kind: 'answer', text, tools: [], ...options };
}

/** Replies with one tool call, optionally preceded by text. */
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

/** Replies with several tool calls in one turn. */
export function useTools(tools: readonly ScriptedToolUse[], options: AnswerOptions & { text?: string } = {}): Answer {
  return { kind: 'answer', text: '', tools, ...options };
}

/** Replies with a refusal. */
export function refuse(text = '', options: AnswerOptions = {}): Answer {
  return say(text, { ...options, stopReason: 'refusal' });
}
