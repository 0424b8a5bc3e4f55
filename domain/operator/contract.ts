import { z } from 'zod';
import { allowanceSchema } from '../budget';
import {
  activityContract,
  filledTextSchema,
  type InputOf,
  type JsonObject,
  type ResultOf,
  signalContract,
  uncheckedObject,
  updateContract,
} from '../kernel';
import { fallbackSchema, maxTokensSchema, modelNameSchema, priceSchema, windowSchema } from '../model';
import { spilledTextSchema } from '../store';
import { toolNameSchema } from '../tool';

export const decisionRecordSchema = z.object({
  incident: z.string(),
  action: z.string(),
  by: z.string(),
  note: z.string(),
  at: z.string(),
  /** Set if the decision also applies to later calls of the tool. */
  always: z.literal(true).exactOptional(),
  /** The beginning of the arguments that replaced those of a call. */
  edited: z.string().exactOptional(),
  /** The beginning of the answer to a question. */
  answer: z.string().exactOptional(),
});
/** An operator's decision, as the agent records it. */
export type DecisionRecord = Readonly<z.infer<typeof decisionRecordSchema>>;

const text = z.string().max(4_000);

/** Changes that an operator makes to an agent before its failed step is retried. At least one field is required. */
const amendmentSchema = z
  .strictObject({
    /** Message that is sent to the model with the next turn. */
    instructions: text.min(1).optional(),
    model: z
      .strictObject({
        name: modelNameSchema.optional(),
        maxTokens: maxTokensSchema.optional(),
        window: windowSchema.optional(),
        /** Price of the model, if the run does not know it. */
        price: priceSchema.optional(),
        /** Models that take over when this one can't be used. Default: those that the agent has not used yet. */
        fallback: fallbackSchema.optional(),
      })
      .optional(),
    /** Added to the budget of the agent and its delegations. `turns` is also added to the agent's turn limit. */
    budget: allowanceSchema.optional(),
    /** New time by which the agent must finish, ISO 8601 in UTC. Only for an agent that has a deadline. */
    deadline: z.iso.datetime().optional(),
    tools: z
      .strictObject({
        grant: z.array(toolNameSchema).max(64).optional(),
        revoke: z.array(toolNameSchema).max(64).optional(),
      })
      .optional(),
  })
  .refine((amendment) => Object.keys(amendment).length > 0, 'must change something');
/** Changes that an operator makes to an agent before its failed step is retried. At least one field is required. */
export type Amendment = Readonly<z.infer<typeof amendmentSchema>>;

/** A decision about all further calls of a tool that match the same rules, by an agent and the agents below it. */
const standingDecisionSchema = z.object({
  tool: z.string().max(100),
  /** Ids of the approval rules that the call matched. */
  rules: z.array(z.string().max(40)).max(100).readonly(),
  action: z.enum(['approve', 'deny']),
  by: z.string().max(200),
  note: z.string().max(1_000),
});
export type StandingDecision = Readonly<z.infer<typeof standingDecisionSchema>>;

/** Maximum decisions about further calls that an agent keeps. The oldest are dropped, and operators are asked again. */
export const maxStandingDecisions = 50;

/** Operator input that an agent carries over to its next execution. */
export const operatorStateSchema = z.object({
  paused: z.boolean(),
  /** Steering messages that have not been sent to the model yet. */
  steering: z.array(z.string()).readonly(),
  /** Number of incidents so far; the next one gets the following number. */
  incidents: z.int().nonnegative(),
  decisions: z.array(decisionRecordSchema).readonly(),
  /** Accepted changes of settings that take effect at the next step; omitted when there are none. */
  amendments: z.array(amendmentSchema).readonly().exactOptional(),
  /** Decisions about further calls; omitted when there are none. */
  standing: z.array(standingDecisionSchema).readonly().exactOptional(),
});
export type OperatorState = Readonly<z.infer<typeof operatorStateSchema>>;

/** State of an agent without any operator input. */
export const emptyOperatorState: OperatorState = { paused: false, steering: [], incidents: 0, decisions: [] };

/** Maximum characters of the arguments with which an operator replaces those of a call. They are recorded in history. */
const maxEditCharacters = 16_000;
/** Maximum characters of an answer to a question. */
const maxAnswerCharacters = 4_000;
/** Whether the decision also applies to later calls of the tool that match the same rules. Default: false. */
const alwaysSchema = z.boolean().optional();

/** Argument of the Update `operatorDecision`. */
export const operatorDecisionSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('retry'), ...common() }),
  z.strictObject({ action: z.literal('amend'), amendment: amendmentSchema, ...common() }),
  z.strictObject({ action: z.literal('skip'), placeholder: text.min(1), ...common() }),
  z.strictObject({ action: z.literal('abort'), ...common() }),
  z.strictObject({
    action: z.literal('approve'),
    always: alwaysSchema,
    /** Arguments that replace those of the call. They must match the tool's schema. */
    edit: uncheckedObject<JsonObject>()
      .refine(
        (edit) => JSON.stringify(edit).length <= maxEditCharacters,
        `must have at most ${maxEditCharacters} characters as JSON`,
      )
      .optional(),
    ...common(),
  }),
  z.strictObject({ action: z.literal('deny'), always: alwaysSchema, ...common() }),
  z.strictObject({ action: z.literal('answer'), text: filledTextSchema.max(maxAnswerCharacters), ...common() }),
]);
/**
 * An operator's decision about an incident. `amend` needs an amendment, `skip` the result to use instead, and `answer` the
 * answer to a question.
 */
export type OperatorDecision = Readonly<z.infer<typeof operatorDecisionSchema>>;
/** The kind of an operator's decision. */
export type OperatorAction = OperatorDecision['action'];

function common() {
  return {
    /** Id of the incident that the decision answers. */
    incident: z.string().min(1).max(40),
    /** Reason, recorded with the decision. */
    note: text.optional(),
    /** Name of the operator. */
    by: z.string().max(200).optional(),
  };
}

export const incidentSchema = z.object({
  /** Incident id, unique within the agent: `i1`, `i2`, … in the order of occurrence. */
  id: z.string(),
  /** `approval`: a call that an operator has to approve. `question`: what an agent asks with `ask_operator`. */
  kind: z.enum(['failure', 'toolRequest', 'approval', 'question']),
  /** Failure type; `Tool.Requested` for a tool request, `Tool.NeedsApproval` for a call, `Agent.Question` for a question. */
  type: z.string(),
  message: z.string(),
  /** Time at which the incident was opened, ISO 8601. */
  since: z.string(),
  /** Number of the attempt that failed, 1-based. */
  attempt: z.int().positive(),
  /** Name of the step, such as `turn 4` or `delegation abc…`. */
  step: z.string(),
  /** Id of the delegation that failed; null when the agent's own step did. */
  delegation: z.string().nullable(),
  /** Name of the requested or called tool; null for a failure. */
  tool: z.string().nullable(),
  /** The call that needs approval. */
  call: z
    .object({
      /** Id of the call in the model's reply. */
      id: z.string(),
      /** All arguments as JSON. Long ones are in the store. */
      arguments: spilledTextSchema,
      /** Ids of the approval rules that it matches. */
      rules: z.array(z.string()).readonly(),
    })
    .exactOptional(),
  /** Possible answers to a question; omitted if any answer is accepted. */
  options: z.array(z.string()).readonly().exactOptional(),
  /** Whether other answers than the options are accepted. Default: false. */
  freeText: z.literal(true).exactOptional(),
  /** Time after which the agent continues without a decision, ISO 8601; set for calls and questions. */
  until: z.string().exactOptional(),
});
/**
 * A failure, a call, a question or a tool request that needs an operator's decision. An agent may have several: one for its own step, or
 * one per delegation that closed without reporting its failure.
 */
export type Incident = Readonly<z.infer<typeof incidentSchema>>;

export const operatorDecisionContract = updateContract('operatorDecision', {
  description:
    'Answers an open incident: `retry`, `amend`, `skip` or `abort` for a failed step, `approve` or `deny` for a requested tool or a call that needs approval (`always` for further calls too, `edit` with other arguments), `answer` for a question. Returns the recorded decision. Rejected without effect if the incident is not open or the action does not apply to it.',
  input: operatorDecisionSchema,
  result: decisionRecordSchema,
});

const operatorNoteSchema = z.strictObject({
  /** Name of the operator. */
  by: z.string().max(200).exactOptional(),
  /** Reason for the message. */
  note: text.exactOptional(),
});
/** Name and reason that an operator may add to a message. They are recorded in the agent's history. */
export type OperatorNote = Readonly<z.infer<typeof operatorNoteSchema>>;

const acknowledgementSchema = z.object({
  /** Short description of the agent's state after the Update, for people. */
  state: z.string(),
});
/** Result of an Update that takes effect later. */
export type Acknowledgement = Readonly<z.infer<typeof acknowledgementSchema>>;

/** Says what a pause does to an agent. One that takes several turns in an activity learns of it there. */
export function pausedState(takesSeveralTurns: boolean): string {
  const then = 'no model call is made until it is resumed';
  if (!takesSeveralTurns) return `paused: ${then}`;
  return `pausing: it takes several turns in one activity, which learns of this within seconds; then ${then}`;
}

export const retrySchema = operatorNoteSchema.extend({
  amendment: amendmentSchema.exactOptional(),
  /** Ids of delegations of the current turn that were stopped before they had done anything. */
  startAgain: z.array(z.string().max(100)).max(200).readonly().exactOptional(),
});
/** An operator's decision to retry an agent that has failed. It is written into the reason of the reset. */
export type Retry = Readonly<z.infer<typeof retrySchema>>;

export const findRetryActivity = activityContract('findRetry', {
  description:
    "Finds out whether the calling workflow was reset by an operator's retry, and what the operator decided. Asked before an agent ends with a failure, and about a delegation that exists already.",
  input: z.object({
    /** Workflow id of a delegation that exists already; null for a failure of the agent itself. */
    delegation: z.string().nullable(),
  }),
  result: z.object({
    /** Null unless the last reset was a retry. */
    retry: retrySchema.nullable(),
    /** Whether the question is the first thing that happened after the reset, so that the retry is about this failure. */
    isHere: z.boolean(),
    /** Whether the delegation has ended without a result. */
    hasFailed: z.boolean(),
  }),
});
export type FoundRetry = ResultOf<typeof findRetryActivity>;

export const pauseContract = updateContract('pause', {
  description: 'Pauses the agent and all agents below it: none of them makes a model call until it is resumed.',
  input: operatorNoteSchema.optional(),
  result: acknowledgementSchema,
});

export const resumeContract = updateContract('resume', {
  description: 'Resumes a paused agent and all agents below it.',
  input: operatorNoteSchema.optional(),
  result: acknowledgementSchema,
});

export const steerContract = updateContract('steer', {
  description: 'Queues a steering message, which is sent to the model with its next turn.',
  input: operatorNoteSchema.extend({ text: z.string() }),
  result: acknowledgementSchema,
});

export const setPausedContract = signalContract('setPaused', {
  description: 'Sent by an agent to each of its delegations when it is paused or resumed.',
  input: z.object({ paused: z.boolean() }),
});

export const standingContract = signalContract('standing', {
  description:
    'Sent by an agent to each of its delegations when an operator has decided about all further calls of a tool, by it and the agents below it.',
  input: z.object({ decisions: z.array(standingDecisionSchema).max(maxStandingDecisions).readonly() }),
});

export const parkedContract = signalContract('parked', {
  description:
    'Sent by a delegation to its parent when an incident opens or closes: whether the delegation itself waits for an operator (`self`), and how many agents below it do (`below`). After an answer it asks to continue (`returns`, how often it has asked), because meanwhile it did not count as running; `atWork` if it continues although other incidents are open.',
  input: z.object({
    delegationId: z.string().max(1_000),
    self: z.boolean(),
    below: z.int().nonnegative(),
    returns: z.int().positive().exactOptional(),
    atWork: z.literal(true).exactOptional(),
  }),
});
/** What a delegation tells its parent about operators. */
export type ParkedReport = InputOf<typeof parkedContract>;

export const admittedContract = signalContract('admitted', {
  description:
    'Sent by a parent to a delegation that asked to continue after an answer of an operator, when the concurrency limit of the parent allows it. `returns` is the number with which it asked.',
  input: z.object({ returns: z.int().positive() }),
});
