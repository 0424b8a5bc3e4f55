import { z } from 'zod';
import { checkValue } from './schema-issues';
import type { Json } from './errors';

// One contract per message that crosses a boundary: its wire name, what it means, and the schemas of what is sent and
// returned. Histories contain wire names and payload fields, so released ones never change.

/** Contract of an activity. */
export interface ActivityContract<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Result extends z.ZodType = z.ZodType,
> {
  readonly name: Name;
  readonly description: string;
  readonly input: Input;
  readonly result: Result;
}

/** Defines an activity. */
export function activityContract<const Name extends string, Input extends z.ZodType, Result extends z.ZodType>(
  name: Name,
  contract: Omit<ActivityContract<Name, Input, Result>, 'name'>,
): ActivityContract<Name, Input, Result> {
  return { name, ...contract };
}

/** Contract of a workflow. */
export interface WorkflowContract<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Result extends z.ZodType = z.ZodType,
> {
  readonly name: Name;
  readonly description: string;
  /** Pattern of its workflow ids. */
  readonly workflowId: string;
  /** The start argument, including what an execution passes to the next one with continue-as-new. */
  readonly input: Input;
  readonly result: Result;
}

/** Defines a workflow. */
export function workflowContract<const Name extends string, Input extends z.ZodType, Result extends z.ZodType>(
  name: Name,
  contract: Omit<WorkflowContract<Name, Input, Result>, 'name'>,
): WorkflowContract<Name, Input, Result> {
  return { name, ...contract };
}

/** Contract of a Query, an Update or a Signal. */
export interface MessageContract<
  Kind extends 'query' | 'update' | 'signal' = 'query' | 'update' | 'signal',
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Result extends z.ZodType = z.ZodType,
> {
  readonly kind: Kind;
  readonly name: Name;
  readonly description: string;
  /** The only argument; `noArgument` when there is none. */
  readonly input: Input;
  /** `z.void()` for a Signal. */
  readonly result: Result;
}

/** Input of a message without an argument. */
export const noArgument = z.undefined();

/** Defines a Query. Its argument may be omitted, because tools can ask every Query without one. */
export function queryContract<
  const Name extends string,
  Result extends z.ZodType,
  Input extends z.ZodType = typeof noArgument,
>(
  name: Name,
  contract: { readonly description: string; readonly result: Result; readonly input?: Input },
): MessageContract<'query', Name, Input, Result> {
  const { description, result, input = noArgument as unknown as Input } = contract;
  return { kind: 'query', name, description, input, result };
}

/** Defines an Update. */
export function updateContract<const Name extends string, Input extends z.ZodType, Result extends z.ZodType>(
  name: Name,
  contract: { readonly description: string; readonly input: Input; readonly result: Result },
): MessageContract<'update', Name, Input, Result> {
  return { kind: 'update', name, ...contract };
}

/** Defines a Signal. */
export function signalContract<const Name extends string, Input extends z.ZodType>(
  name: Name,
  contract: { readonly description: string; readonly input: Input },
): MessageContract<'signal', Name, Input, z.ZodVoid> {
  return { kind: 'signal', name, ...contract, result: z.void() };
}

/** Type of what is sent under a contract. */
export type InputOf<Contract extends { readonly input: z.ZodType }> = z.output<Contract['input']>;
/** Type of what is returned under a contract. */
export type ResultOf<Contract extends { readonly result: z.ZodType }> = z.output<Contract['result']>;

/**
 * Schema of an object whose content is not checked, because it is large, or because another check follows where more is
 * known about it. The value is passed on as it is, without a copy.
 */
export function uncheckedObject<T extends object>(): z.ZodCustom<T, T> {
  return z.custom<T>(isObject, 'must be an object');
}

/**
 * Schema of an object of which only these fields are checked, because code relies on them before anything else checks
 * them. The value is passed on as it is, without a copy.
 */
export function checkedFields<T extends object>(fields: z.ZodType): z.ZodCustom<T, T> {
  return uncheckedObject<T>().superRefine((value, context) => {
    const { error } = checkValue(fields, value);
    for (const { path, message } of error?.issues ?? []) context.addIssue({ code: 'custom', path, message });
  });
}

/** Schema of a list whose items are not checked, for the same reasons. */
export function uncheckedList<Item>(): z.ZodCustom<readonly Item[], readonly Item[]> {
  return z.custom<readonly Item[]>((value) => Array.isArray(value), 'must be a list');
}

/** Schema of any JSON value, which is not checked. */
export const uncheckedJson = z.custom<Json>((value) => value !== undefined, 'must be a JSON value');

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
