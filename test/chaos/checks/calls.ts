import type { Round } from '../round';
import { callsOf } from '../tree/expected';
import { agentsBelow } from '../tree/plan';
import type { Check } from './look';

/**
 * The provider received every call of the tree once. A call that got a fault of the provider was repeated; one in
 * progress during another fault may have been, once for each; one whose reply was on the disk must not. A machine that
 * stalls a process until its worker looks dead counts as a fault.
 */
export const noCallPaidTwice: Check = ({ round, expected }) => {
  const needed = expected.finished.flatMap(callsOf);
  const asked = new Set(round.asked.map(({ name }) => name));
  const missing = needed.filter((name) => !asked.has(name)).map((name) => `call ${name} was never made`);
  const known = new Set(agentsBelow(round.tree.root).flatMap(callsOf));
  return [...missing, ...[...asked].flatMap((name) => tooOften(round, name, known.has(name)))];
};

function tooOften({ asked, windows, strikes, wasStalled }: Round, name: string, isKnown: boolean): string[] {
  const calls = asked.filter((call) => call.name === name);
  const first = Math.min(...calls.map(({ at }) => at));
  const disturbed = calls.filter(({ wasDisturbed }) => wasDisturbed).length;
  const inProgress = windows.filter(({ until, journaled }) => first <= until && !journaled.has(name)).length;
  const allowed = 1 + disturbed + inProgress + (wasStalled ? 1 : 0);
  // An agent makes more calls than planned only if it has to repeat a command that a crash interrupted.
  const isUnplanned = !isKnown && !wasStalled && strikes.every(({ fault }) => fault.repeatsCallsFor === undefined);
  return [
    ...(isUnplanned ? [`call ${name} is not in the plan`] : []),
    ...(calls.length > allowed
      ? [
          `call ${name} was made ${calls.length} times: ${disturbed} were disturbed, and it was in progress at ${inProgress} faults`,
        ]
      : []),
  ];
}
