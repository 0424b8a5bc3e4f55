import { genAiContents } from '../../temporal-config/gen-ai';
import { toIso } from '../clock';
import { type SpanFacts, toolFacts, toolResultFacts, type TracedAgent } from './attributes';
import { facts, items } from './facts';
import { argumentsOf, resultOf } from './turn-texts';

/** A turn that has ended. Times are in milliseconds since 1970. */
export interface EndedTurn {
  readonly startedAt: number;
  readonly endedAt: number;
  /** Its input. */
  readonly sent: unknown;
  readonly result: unknown;
}

/** Returns the turns that an activity took, one after the other. */
export function takenTurns({
  startedAt,
  endedAt,
  sent,
  result,
}: EndedTurn): readonly (EndedTurn & { number: number })[] {
  const { more, ...first } = facts(result);
  const turns = [first, ...items(more).map(facts)];
  const identity = facts(facts(sent)['identity']);
  let from = startedAt;
  return turns.map((turn, number) => {
    const length = Number(turn['ms']) + longestOf(turn['ran']);
    const until = number === turns.length - 1 ? endedAt : Math.min(endedAt, from + length);
    const further = { identity: { ...identity, call: Number(identity['call']) + number } };
    const taken = { number, startedAt: from, endedAt: until, sent: number === 0 ? sent : further, result: turn };
    from = until;
    return taken;
  });
}

/** Milliseconds of the call that took longest. */
function longestOf(ran: unknown): number {
  return Math.max(0, ...items(ran).map((call) => Number(facts(call)['ms'])));
}

/** The calls that ran inside a turn. All of them began when its model replied. */
interface InsideCalls {
  readonly repliedAt: number;
  readonly calls: readonly { readonly id: string; readonly about: SpanFacts; readonly end: SpanFacts }[];
}

/** Returns the calls that ran inside a turn, as far as its result tells about them. */
export function insideCalls(agent: TracedAgent, { startedAt, endedAt, sent, result }: EndedTurn): InsideCalls {
  const ran = items(facts(result)['ran']).map(facts);
  const repliedAt = Math.max(startedAt, endedAt - longestOf(ran));
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
