import { genAiContents } from '../../temporal-config/gen-ai';
import { toIso } from '../clock';
import { type SpanFacts, toolFacts, toolResultFacts, type TracedAgent } from './attributes';
import { facts, items } from './facts';
import { argumentsOf, resultOf } from './turn-texts';

/** A turn that has ended. Times are in milliseconds since 1970. */
interface EndedTurn {
  readonly startedAt: number;
  readonly endedAt: number;
  /** Its input. */
  readonly sent: unknown;
  readonly result: unknown;
}

/** The calls that ran inside a turn. All of them began when its model replied. */
interface InsideCalls {
  readonly repliedAt: number;
  readonly calls: readonly { readonly id: string; readonly about: SpanFacts; readonly end: SpanFacts }[];
}

/** Returns the calls that ran inside a turn, as far as its result tells about them. */
export function insideCalls(agent: TracedAgent, { startedAt, endedAt, sent, result }: EndedTurn): InsideCalls {
  const ran = items(facts(result)['ran']).map(facts);
  const repliedAt = Math.max(startedAt, endedAt - Math.max(0, ...ran.map(({ ms }) => Number(ms))));
  const calls = ran.map(({ id, name, isError = false, ms }) => {
    const end = toolResultFacts(isError, { [genAiContents.toolResult]: resultOf(id, sent, result) });
    return {
      id: String(id),
      about: toolFacts(agent, { id, name }, { [genAiContents.toolArguments]: argumentsOf(id, result) }),
      end: {
        ...end,
        attributes: { 'baton.outcome': 'completed', ...end.attributes },
        endedAt: toIso(Math.min(endedAt, repliedAt + Number(ms))),
      },
    };
  });
  return { repliedAt, calls };
}
