import {
  ContinueAsNew,
  isCancellation,
  proxySinks,
  type WorkflowInboundCallsInterceptor,
  workflowInfo,
  type WorkflowInterceptorsFactory,
  type WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';
import { executeToolActivity, runTurnActivity } from '../../domain/agent';
import { genAi } from '../../temporal-config/gen-ai';
import type { TraceSinks } from '../../temporal-config/names';
import { toIso, workflowNow, workflowNowMs } from '../clock';
import { rootCause } from '../failures';
import {
  activityFacts,
  executionFacts,
  followModel,
  ownSpanName,
  resultFacts,
  type SpanFacts,
  tracedAgent,
  type TracedAgent,
} from './attributes';
import { answerContents } from './contents';
import { activityContext, callContext, contextIn, executionContext, headersFor, type TraceContext } from './context';
import { type EndedTurn, insideCalls, takenTurns } from './inside-calls';

/**
 * Reports spans of one execution and its activities. Loaded only when tracing is on. Nothing here awaits, and every
 * promise is passed on unchanged: one more step before a command would move it, and an old history could no longer be
 * replayed. docs/decisions/telemetry-spans.md explains why Temporal's own workflow interceptors are not used.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const trace = new ExecutionTrace();
  return { inbound: [trace], outbound: [trace] };
};

class ExecutionTrace implements WorkflowInboundCallsInterceptor, WorkflowOutboundCallsInterceptor {
  private parent: TraceContext | undefined;
  private begun: TraceContext | undefined;
  private agent: TracedAgent = { attributes: {}, model: {} };

  execute: NonNullable<WorkflowInboundCallsInterceptor['execute']> = (input, next) => {
    this.parent = contextIn(input.headers);
    const { workflowType, workflowId } = workflowInfo();
    const [start] = input.args;
    this.agent = tracedAgent(workflowId, start);
    const about = executionFacts(workflowType, this.agent, start);
    return watched(next(input), span(workflowType, this.own(), this.parent, about), (result) => ({
      attributes: {},
      contents: answerContents(result),
    }));
  };

  scheduleActivity: NonNullable<WorkflowOutboundCallsInterceptor['scheduleActivity']> = (input, next) => {
    const { activityType: type } = input;
    const context = activityContext(this.own(), input.seq);
    const [sent] = input.args;
    followModel(this.agent, type, { sent });
    const about = activityFacts(type, this.agent, sent);
    const startedAt = workflowNowMs();
    return watched(
      next({ ...input, headers: headersFor(input.headers, context) }),
      span(type, context, this.own(), about),
      (result) => {
        followModel(this.agent, type, { result });
        if (type !== runTurnActivity.name) return resultFacts(type, this.agent, result);
        return this.reportTurns(input.seq, { startedAt, endedAt: workflowNowMs(), sent, result });
      },
    );
  };

  /** Reports the turns that an activity took after the first one. Returns how the first one ended. */
  private reportTurns(seq: number, ended: EndedTurn): SpanFacts {
    const [first = ended, ...further] = takenTurns(ended);
    const end = this.endOf(seq, first);
    for (const turn of further) {
      const about = activityFacts(runTurnActivity.name, this.agent, turn.sent);
      const context = callContext(this.own(), seq, `turn ${turn.number}`);
      const { attributes, ...rest } = this.endOf(seq, turn);
      const completed = { attributes: { 'baton.outcome': 'completed', ...attributes }, ...rest };
      span(runTurnActivity.name, context, this.own(), about, turn.startedAt)(completed);
    }
    return end;
  }

  private endOf(seq: number, turn: EndedTurn): SpanFacts {
    return { ...resultFacts(runTurnActivity.name, this.agent, turn.result), ...this.reportInside(seq, turn) };
  }

  /** Reports the calls that ran inside a turn. Returns when its model replied. */
  private reportInside(seq: number, turn: EndedTurn): Pick<SpanFacts, 'endedAt'> {
    const { repliedAt, calls } = insideCalls(this.agent, turn);
    for (const { id, about, end } of calls) {
      const type = executeToolActivity.name;
      span(type, callContext(this.own(), seq, id), this.own(), about, repliedAt)(end);
    }
    return calls.length === 0 ? {} : { endedAt: toIso(repliedAt) };
  }

  startChildWorkflowExecution: NonNullable<WorkflowOutboundCallsInterceptor['startChildWorkflowExecution']> = (
    input,
    next,
  ) => next({ ...input, headers: headersFor(input.headers, this.own()) });

  /** Later executions of a chain are siblings below the first. */
  continueAsNew: NonNullable<WorkflowOutboundCallsInterceptor['continueAsNew']> = (input, next) => {
    const isFirst = workflowInfo().continuedFromExecutionRunId === undefined;
    const first = isFirst ? this.own() : (this.parent ?? this.own());
    return next({ ...input, headers: headersFor(input.headers, first) });
  };

  private own(): TraceContext {
    this.begun ??= executionContext(this.parent);
    return this.begun;
  }
}

type End = (facts: SpanFacts, failure?: string) => void;

/** Starts a span and returns the function that ends it. */
function span(
  type: string,
  context: TraceContext,
  parent: TraceContext | undefined,
  about: SpanFacts,
  startedAt: number = workflowNowMs(),
): End {
  const { traceId, spanId, sampled } = context;
  const ownName = ownSpanName(type);
  const { name = ownName } = about;
  return ({ attributes, contents, errorType, endedAt = workflowNow() }, failure = errorType) => {
    if (!sampled) return;
    proxySinks<TraceSinks>().batonTraces.finished({
      name,
      traceId,
      spanId,
      ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
      startedAt: toIso(startedAt),
      endedAt,
      attributes: {
        'baton.span': ownName,
        ...about.attributes,
        ...attributes,
        ...(failure === undefined ? {} : { [genAi.errorType]: failure }),
      },
      contents: { ...about.contents, ...contents },
      ...(failure === undefined ? {} : { failure }),
    });
  };
}

/** Ends a span with its work. Returns the original promise, so that tracing doesn't change when the caller resumes. */
function watched<T>(work: Promise<T>, end: End, describe: (result: T) => SpanFacts): Promise<T> {
  work.then(
    (result) => {
      const { attributes, ...rest } = describe(result);
      end({ attributes: { 'baton.outcome': 'completed', ...attributes }, ...rest });
    },
    (error: unknown) => {
      if (error instanceof ContinueAsNew) end(outcome('continued'));
      else if (isCancellation(error)) end(outcome('cancelled'));
      else end(outcome('failed'), rootCause(error).type ?? 'Unknown');
    },
  );
  return work;
}

function outcome(name: string): SpanFacts {
  return { attributes: { 'baton.outcome': name } };
}
