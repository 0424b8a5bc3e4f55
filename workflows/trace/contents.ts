import { genAiContents, genAiFinishReason, genAiFinishReasonField } from '../../temporal-config/gen-ai';
import { facts, type Facts, items } from './facts';

// What users, models and tools wrote, in the form of the conventions' messages. Long texts are refs into the store, which
// the worker loads: workflow code does not have them.

/** The goal of a root. A delegation's instructions are part of its prompt, which is in the store. */
export function executionContents(start: unknown): Facts {
  const { goal } = facts(start);
  return goal === undefined ? {} : { [genAiContents.inputMessages]: [message('user', [textPart(goal)])] };
}

/** What a model call sends for the first time: results of tools, and messages of the engine and of operators. */
export function modelContents(input: unknown): Facts {
  const { outcomes, notes, steering } = facts(facts(input)['told']);
  const results = items(outcomes).map((outcome) => {
    const { callId, content } = facts(outcome);
    return { type: 'tool_call_response', id: callId, response: content };
  });
  const texts = [...items(notes), ...items(steering)].map(textPart);
  const sent = [
    ...(results.length === 0 ? [] : [message('tool', results)]),
    ...(texts.length === 0 ? [] : [message('user', texts)]),
  ];
  return sent.length === 0 ? {} : { [genAiContents.inputMessages]: sent };
}

/** What the model replied. */
export function replyContents(reply: unknown): Facts {
  const { text, checked, ran, calls: left, stopReason } = facts(reply);
  const calls = [...items(ran), ...items(left)].map((call) => {
    const { id, name, input, about } = facts(call);
    return { type: 'tool_call', id, name, arguments: input ?? about };
  });
  const answer = text ?? facts(checked)['text'];
  const parts = [...(answer === undefined ? [] : [textPart(answer)]), ...calls];
  const reason = typeof stopReason === 'string' ? { [genAiFinishReasonField]: genAiFinishReason(stopReason) } : {};
  return { [genAiContents.outputMessages]: [{ ...message('assistant', parts), ...reason }] };
}

/** What a tool was called with. */
export function toolContents(input: unknown): Facts {
  return { [genAiContents.toolArguments]: facts(facts(input)['call'])['input'] };
}

/** What a tool returned. */
export function toolResultContents(result: unknown): Facts {
  return { [genAiContents.toolResult]: facts(facts(result)['outcome'])['content'] };
}

/** What an agent answered. */
export function answerContents(result: unknown): Facts {
  const { answer, summary } = facts(result);
  const text = answer ?? summary;
  return text === undefined ? {} : { [genAiContents.outputMessages]: [message('assistant', [textPart(text)])] };
}

function message(role: string, parts: readonly Facts[]): Facts {
  return { role, parts };
}

function textPart(content: unknown): Facts {
  return { type: 'text', content };
}
