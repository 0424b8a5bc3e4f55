import { z } from 'zod';
import { activityContract, type InputOf, type ResultOf, uncheckedObject } from '../kernel';
import { blobRefSchema, spilledTextSchema, storeLocationSchema } from '../store';
import { argumentRulesSchema } from './access';
import { approvalRuleSchema } from './approval-rules';
import { toolCallSchema } from './call';

/** An operator's decision about one call, as it is kept in the journal. */
export const callDecisionSchema = z.object({
  action: z.enum(['approve', 'deny', 'answer']),
  /** The reason of a denial, or the answer to a question. Empty when there is none. */
  text: z.string(),
  by: z.string(),
  /** The arguments that replaced those of the model; omitted if the call was approved as it was. */
  edited: z.object({ input: spilledTextSchema, preview: z.string() }).exactOptional(),
});
export type CallDecision = Readonly<z.infer<typeof callDecisionSchema>>;

/** Identifies a call of an agent, also after a reset. The model's answer, and so the call, is the same then. */
const askedCallFields = {
  call: toolCallSchema,
  /** First execution of the workflow's chain, as in the identity of a model call. */
  execution: z.string(),
  /** Number of the model call whose reply has the call. */
  turn: z.int().nonnegative(),
};

export const findDecisionActivity = activityContract('findDecision', {
  description:
    'Finds out which approval rules a call matches, and what an operator decided about it before a reset. Called only for tools that have rules, and for questions.',
  input: storeLocationSchema.extend({
    ...askedCallFields,
    rules: z.array(approvalRuleSchema).readonly(),
  }),
  result: z.object({
    /** Ids of the rules that the call matches. */
    matched: z.array(z.string()).readonly(),
    /** The beginning of the arguments. */
    preview: z.string(),
    /** All arguments of a question as JSON; omitted for other calls, and if they are too long for a question. */
    input: z.string().exactOptional(),
    /** Null when no operator has decided about this call. */
    earlier: callDecisionSchema.nullable(),
  }),
});
export type FindDecisionInput = InputOf<typeof findDecisionActivity>;
export type FoundDecision = ResultOf<typeof findDecisionActivity>;

export const keepDecisionActivity = activityContract('keepDecision', {
  description: 'Keeps what an operator decided about a call, so that a reset does not ask again.',
  input: storeLocationSchema.extend({ ...askedCallFields, decision: callDecisionSchema }),
  result: z.void(),
});
export type KeepDecisionInput = InputOf<typeof keepDecisionActivity>;

export const checkEditActivity = activityContract('checkEdit', {
  description:
    "Checks arguments with which an operator replaces those of a call against the tool's schema and restrictions.",
  input: storeLocationSchema.extend({
    call: toolCallSchema,
    /** The agent's tools. */
    toolList: blobRefSchema,
    /** The rules for arguments of each restriction of the tool. */
    rules: z.array(argumentRulesSchema).readonly(),
    edit: uncheckedObject(),
  }),
  result: z.object({
    /** What is wrong with the arguments; null when nothing is. */
    problem: z.string().nullable(),
    /** The arguments as JSON. */
    input: spilledTextSchema,
    preview: z.string(),
  }),
});
export type CheckEditInput = InputOf<typeof checkEditActivity>;
export type CheckedEdit = ResultOf<typeof checkEditActivity>;
