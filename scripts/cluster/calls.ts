import { agentOf, callName } from './fixed-tree';
import type { ScriptedCall } from '../../testing/scripted-model';

type Call = Pick<ScriptedCall, 'systemText' | 'turn'>;

/**
 * Judges the calls that a provider received. An answer that the engine has accepted is never paid for again: once an agent
 * has asked for its next turn, no earlier turn of it is asked for. A call that was under way when something died may be
 * repeated, once for each death.
 */
export function repetitions(calls: readonly Call[], runIds: readonly string[], kills: number): string[] {
  const times = new Map<string, number>();
  const latest = new Map<string, number>();
  const violations: string[] = [];
  for (const call of calls) {
    const run = runIds.find((runId) => call.systemText.includes(runId)) ?? 'unknown run';
    const [agent, name] = [`${run} ${agentOf(call)}`, `${run} ${callName(call)}`];
    const before = latest.get(agent) ?? 0;
    if (call.turn < before) violations.push(`call ${name} was made again, although turn ${before} had begun`);
    latest.set(agent, Math.max(before, call.turn));
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  for (const [name, count] of times)
    if (count > 1 + kills) violations.push(`call ${name} was made ${count} times, with ${kills} kills`);
  return violations;
}
