import { z } from 'zod';
import type { ToolDescription } from './description';

export const askOperatorName = 'ask_operator';

const maxQuestion = 2_000;
const maxOptions = 20;
const maxOption = 200;
const maxDefault = 1_000;
const maxSeconds = 30 * 24 * 60 * 60;

const option = z.string().trim().min(1).max(maxOption);

/** Parameters of `ask_operator`. */
export const askOperatorSchema = z
  .strictObject({
    question: z.string().trim().min(1).max(maxQuestion),
    options: z
      .array(option)
      .min(2)
      .max(maxOptions)
      .refine((options) => new Set(options).size === options.length, 'must differ from each other')
      .optional(),
    free_text: z.boolean().optional(),
    default: z.string().trim().min(1).max(maxDefault).optional(),
    timeout_seconds: z.int().min(1).max(maxSeconds).optional(),
  })
  .refine(
    ({ options, free_text: isFree, default: otherwise }) =>
      options === undefined || isFree === true || otherwise === undefined || options.includes(otherwise),
    { path: ['default'], message: 'must be one of the options, unless free_text is true' },
  );

const inputSchema: ToolDescription['inputSchema'] = {
  type: 'object',
  properties: {
    question: {
      type: 'string',
      minLength: 1,
      maxLength: maxQuestion,
      description: 'The question, with what is needed to answer it',
    },
    options: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: maxOption },
      minItems: 2,
      maxItems: maxOptions,
      description: 'Possible answers, of which one is chosen. Omit them for a free answer',
    },
    free_text: {
      type: 'boolean',
      description: 'Whether another answer than the options is possible. Default: false',
    },
    default: {
      type: 'string',
      minLength: 1,
      maxLength: maxDefault,
      description: 'Answer to assume if nobody answers in time',
    },
    timeout_seconds: {
      type: 'integer',
      minimum: 1,
      maximum: maxSeconds,
      description: 'How long to wait. Default, and upper limit: what the run allows',
    },
  },
  required: ['question'],
  additionalProperties: false,
};

/** Describes `ask_operator`, with which an agent asks the people who watch the run. */
export function askOperatorDescription(): ToolDescription {
  return {
    name: askOperatorName,
    id: 'baton/ask_operator@1',
    description:
      'Asks the person who watches this run a question, and waits for the answer. It can take hours, so use this only for a decision that you must not make yourself and cannot work around. Ask one thing at a time, and give options where you can.',
    inputSchema: { ...inputSchema },
    success: 'You receive the answer.',
    cost: 'Waits for a person.',
    safeToRepeat: true,
  };
}
