import { z } from 'zod';
import { checkValue, firstIssue, InvalidInputError, matchesGlob } from '../kernel';
import { defaultProvider, parseModelName } from '../model';

const count = z.int().min(1).max(100_000_000);

/** What a provider allows for the models that a pattern names. */
const modelLimitSchema = z
  .strictObject({
    /** Requests per minute of all workers of a task queue together. */
    requestsPerMinute: z.number().positive().max(1_000_000).exactOptional(),
    /** Tokens per minute of one worker, of requests and replies together. */
    tokensPerMinute: count.exactOptional(),
    /** Requests of one worker at the same time. */
    concurrent: count.max(10_000).exactOptional(),
  })
  .refine((limit) => Object.keys(limit).length > 0, 'must have requestsPerMinute, tokensPerMinute or concurrent');
export type ModelLimit = Readonly<z.infer<typeof modelLimitSchema>>;

/** A model's name, with its prefix, in which `*` matches any characters. The name of a task queue contains it. */
const patternForm = /^[\w./:@*-]{1,200}$/;

const modelLimitsSchema = z.record(z.string(), modelLimitSchema).superRefine((limits, context) => {
  const wrong = Object.keys(limits).find((pattern) => !patternForm.test(pattern));
  const message = 'must be the name of a model, such as claude-opus-5-5 or openai:*';
  if (wrong !== undefined) context.addIssue({ code: 'custom', path: [wrong], message });
});

/**
 * Limits by pattern. All models that a pattern matches share its limit, and the first pattern that matches a model counts.
 * A prefix of models is an account of a provider, so limits by prefix are limits by API key.
 */
export type ModelLimits = Readonly<Record<string, ModelLimit>>;

/** Checks limits. Throws an `InvalidInputError` that names `field`. */
export function parseModelLimits(value: unknown, field = 'limits'): ModelLimits {
  const parsed = checkValue(modelLimitsSchema, value);
  if (parsed.success) return parsed.data;
  const issue = firstIssue(parsed.error);
  const at = issue.field === '' ? field : `${field}.${issue.field}`;
  throw new InvalidInputError(at, issue.reason, 'The format is described in docs/rate-limits.md.');
}

/** Returns the first pattern that matches a model; undefined if the model has no limit. */
export function limitOf(patterns: readonly string[], model: string): string | undefined {
  if (patterns.length === 0) return undefined;
  const { provider, model: own } = parseModelName(model);
  // A model of the default provider may be named with or without its prefix.
  const names = provider === defaultProvider ? [own, `${provider}:${own}`] : [model];
  return patterns.find((pattern) => names.some((name) => matchesGlob(pattern.replaceAll('*', '**'), name)));
}

/** Words in what an agent says it waits for, before the pattern, if its model has a limit. */
export const limitMark = 'rate limit';

/** Describes a limit in one line: 50 requests and 80000 tokens per minute, 10 at a time. */
export function describeLimit({ requestsPerMinute, tokensPerMinute, concurrent }: ModelLimit): string {
  const perMinute = [
    ...(requestsPerMinute === undefined ? [] : [`${requestsPerMinute} requests`]),
    ...(tokensPerMinute === undefined ? [] : [`${tokensPerMinute} tokens`]),
  ];
  return [
    ...(perMinute.length === 0 ? [] : [`${perMinute.join(' and ')} per minute`]),
    ...(concurrent === undefined ? [] : [`${concurrent} at a time`]),
  ].join(', ');
}
