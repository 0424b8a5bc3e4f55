import { z } from 'zod';
import { activityContract, queryContract, type ResultOf, uncheckedObject } from '../kernel';
import type { ModelSettings } from '../model';
import { agentSettingsSchema } from './agent-settings';
import { openedRootSchema } from './contract';
import type { AgentProgress } from './progress';
import { openRunInputSchema } from './run-input';

/** An agent as it was before one of its turns. */
export interface AgentState {
  /** Its model at that time. */
  readonly model: ModelSettings;
  readonly progress: AgentProgress;
}

export const beforeTurnContract = queryContract('beforeTurn', {
  description:
    'Returns the state in which the root agent of a run was before one of its turns, so that another run can continue from there. Without a turn, only says which turns there are.',
  input: z.strictObject({ turn: z.int().positive() }).optional(),
  result: z.object({
    /** First turn that a run can be continued from. */
    first: z.int().positive(),
    /** Last turn that has begun, or that the agent was about to begin when it ended; null before the first. */
    last: z.int().positive().nullable(),
    /** First turn of this execution; null before that. Earlier executions know the turns before it. */
    here: z.int().positive().nullable(),
    /** Null if this execution does not know that turn. */
    state: uncheckedObject<AgentState>().nullable(),
  }),
});
export type BeforeTurn = Readonly<ResultOf<typeof beforeTurnContract>>;

export const continueRunActivity = activityContract('continueRun', {
  description:
    'Opens the root agent of a run as another run had it before one of its turns, and copies everything that it needs from the data of that run.',
  input: openRunInputSchema,
  result: openedRootSchema.extend({
    progress: uncheckedObject<AgentProgress>(),
    settings: agentSettingsSchema,
  }),
});
/** The state that a run continues from, together with how its root was opened in the first place. */
export type ContinuedRoot = Readonly<ResultOf<typeof continueRunActivity>>;
