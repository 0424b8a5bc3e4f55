import { z } from 'zod';
import { activityContract, type InputOf } from '../kernel';
import { incidentSchema } from './contract';

/** Matches an address that a run may name: https or this machine, without a user or a query, where secrets would be. */
const plainAddress =
  /^(?:https:\/\/[^\s/?#@\\]+|http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?)(?:\/[^\s?#\\]*)?$/;

/**
 * Where a worker announces that an agent waits for an operator: an address, or the name of an environment variable of the
 * worker with one. The settings of a run are recorded in history, so an address that is a secret must not be in them.
 */
export const notifySchema = z.union([
  z.strictObject({
    url: z
      .string()
      .max(2_000)
      .regex(plainAddress, 'must be an https address, or http on this machine, without a user and without a query'),
  }),
  z.strictObject({
    env: z.string().regex(/^BATON_NOTIFY_[A-Z0-9_]{1,60}$/, 'must be BATON_NOTIFY_ and capital letters, digits or "_"'),
  }),
]);
/** Where a worker announces that an agent waits for an operator. */
export type NotifySettings = Readonly<z.infer<typeof notifySchema>>;

export const notifyOperatorsActivity = activityContract('notifyOperators', {
  description:
    'Announces an open incident with an HTTP request to the address that the run names. Nothing waits for it.',
  input: z.object({
    to: notifySchema,
    /** Workflow id of the agent that waits. */
    agent: z.string(),
    /** The incident without the arguments of a call, which may contain secrets. */
    incident: incidentSchema.omit({ call: true }),
  }),
  result: z.object({
    /** Status of the response. */
    status: z.int(),
  }),
});
export type NotifyOperatorsInput = InputOf<typeof notifyOperatorsActivity>;
