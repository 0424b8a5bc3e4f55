import { createGate, type Gate, say, type Script, type ScriptedCall, useTool } from '../../testing/scripted-model';
import { quantile } from '../support/statistics';
import { readSessionWritesGoal, writesPerWriter } from '../workloads';

/** The writers of one run meet at a gate before each of their writes, so that all of them write at the same moment. */
interface Meeting {
  readonly gates: readonly Gate[];
  readonly arrived: number[];
  /** By writer: when its request arrived, and when it was answered, for each of its calls. */
  readonly times: Map<string, [arrived: number, answered: number][]>;
}

const meetings = new Map<string, Meeting>();

function meetingOf(run: string): Meeting {
  const turns = Array.from({ length: writesPerWriter });
  const found = meetings.get(run) ?? { gates: turns.map(createGate), arrived: turns.map(() => 0), times: new Map() };
  meetings.set(run, found);
  return found;
}

/** From the answer to a call with a write until the next call arrives, in milliseconds. */
function turnTimes({ times }: Meeting): { turnMedian: number; turnP99: number } {
  const all = [...times.values()].flatMap((calls) =>
    calls.slice(1).map(([arrived], index) => arrived - (calls[index]?.[1] ?? arrived)),
  );
  return { turnMedian: quantile(all, 0.5), turnP99: quantile(all, 0.99) };
}

function root({ turn }: ScriptedCall, writers: number, meeting: Meeting): ReturnType<typeof say> {
  if (turn > 0) return say(JSON.stringify(turnTimes(meeting)));
  const delegations = Array.from({ length: writers }, (_, index) => ({
    reason: `Writer ${index}.`,
    expected_result: 'A word.',
    may_delegate_further: 'no',
    recap_lines: ['Write.'],
  }));
  return useTool('dispatch_subagents', { delegations });
}

/** All children of the root write to its session at the same moment. The root answers with the times of their turns. */
export const sessionWrites: Script = async (call) => {
  const { writers, run } = readSessionWritesGoal(call.systemText);
  const meeting = meetingOf(run);
  const writer = /\*\*Reason\*\* – (Writer \d+)\./.exec(call.systemText)?.[1];
  if (writer === undefined) return root(call, writers, meeting);
  const times = meeting.times.get(writer) ?? [];
  meeting.times.set(writer, times);
  const arrived = performance.now();
  const gate = meeting.gates[call.turn];
  meeting.arrived[call.turn] = (meeting.arrived[call.turn] ?? 0) + 1;
  if (meeting.arrived[call.turn] === writers) gate?.open();
  await gate?.opened;
  times.push([arrived, performance.now()]);
  return gate === undefined ? say('Done.') : useTool('add_plan_steps', { steps: [`${writer}, ${call.turn}`] });
};
