import { randomUUID } from 'node:crypto';
import { parseSkill, type SkillDefinition } from '../../domain/skill';
import {
  type Gate,
  createGate,
  say,
  type ScriptedCall,
  type ScriptedReply,
  useTool,
  useTools,
} from '../../testing/scripted-model';
import { batch } from './batches';
import { dispatch } from './delegation-script';
import type { Harness } from './harness';
import { playRelay, relayNamed } from './relays';

/** A run with two parts, each of which is a delegation that makes two model calls. */
export interface ResetScenario {
  readonly name: string;
  /** Model calls of one run, and those that have been made while part two is held at its second call. */
  readonly calls: number;
  readonly callsInFlight: number;
  /** Delegations that have ended at that time. */
  readonly endedInFlight: number;
  /** Whether the delegations write to a shared session. */
  readonly isShared: boolean;
  /** Whether the answer contains what both parts said; otherwise only what part two said. */
  readonly answersWithAll: boolean;
  start(harness: Harness, token: string): Promise<string>;
  /** What the root's model answers. A relay has none. */
  root(call: ScriptedCall, token: string): ScriptedReply;
}

const part = (name: string, token: string): string => `Part ${name} of ${token}`;
const named = /Part (\w+) of (case-[0-9a-f]{16})/;

export function newToken(): string {
  return `case-${randomUUID().replaceAll('-', '').slice(0, 16)}`;
}

/** Returns the run that a call belongs to. */
export function tokenOf({ systemText }: Pick<ScriptedCall, 'systemText'>): string {
  return /case-[0-9a-f]{16}/.exec(systemText)?.[0] ?? '';
}

function skill(name: string, output?: object): SkillDefinition {
  const tools = ['add_plan_steps'];
  const parsed = parseSkill({
    name,
    description: 'Answers.',
    systemPrompt: 'Answer.',
    tools,
    output: output ?? 'text',
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.skill;
}

export const resetSkills = [skill('lister', { json: { type: 'array', items: { type: 'string' } } }), skill('worker')];

/** A relay that lists items, and then works on all of them at the same time. Its skills are `resetSkills`. */
export const listAndWork = relayNamed('list-and-work', [
  { name: 'list', skill: 'lister', input: { goal: { from: 'goal' } } },
  {
    name: 'work',
    skill: 'worker',
    each: { from: 'steps.list.output' },
    parallel: true,
    input: { goal: { from: 'each' } },
  },
]);

async function startAgent(harness: Harness, token: string): Promise<string> {
  return (await harness.startRun({ goal: `Report on ${token}.` })).workflowId;
}

const agentScenario = (name: string, opening: (token: string) => ScriptedReply): ResetScenario => ({
  name,
  calls: 6,
  callsInFlight: 5,
  endedInFlight: 1,
  isShared: name === 'a shared batch',
  answersWithAll: true,
  start: startAgent,
  root: (call, token) =>
    call.turn === 0
      ? opening(token)
      : say(`Heard: ${call.toolResults.map(({ text }) => withoutPayload(text)).join('\n')}`),
});

export const resetScenarios: readonly ResetScenario[] = [
  agentScenario('a shared batch', (token) =>
    useTool('dispatch_subagents', batch([part('one', token), part('two', token)])),
  ),
  agentScenario('isolated delegations', (token) =>
    useTools(
      ['one', 'two'].map((name) => ({
        name: 'dispatch_subagent',
        input: dispatch({ instructions: part(name, token) }),
      })),
    ),
  ),
  agentScenario('skills', (token) =>
    useTools(
      ['one', 'two'].map((name) => ({
        name: 'dispatch_skill',
        input: { skill: 'worker', input: { goal: part(name, token) } },
      })),
    ),
  ),
  {
    name: 'a relay',
    calls: 5,
    callsInFlight: 5,
    endedInFlight: 2,
    isShared: false,
    answersWithAll: false,
    start: async (harness, token) =>
      (await playRelay(harness, listAndWork, { goal: `Report on ${token}.` })).workflowId,
    root: (_, token) => say(JSON.stringify([part('one', token), part('two', token)])),
  },
];

/** Plays all runs of a harness. The second call of part two waits for the gate of its run. */
export class ResetScript {
  private readonly gates = new Map<string, Gate>();
  private readonly scenarios = new Map<string, ResetScenario>();

  add(token: string, scenario: ResetScenario, isHeld: boolean): Gate {
    const gate = createGate();
    if (!isHeld) gate.open();
    this.gates.set(token, gate);
    this.scenarios.set(token, scenario);
    return gate;
  }

  async play(call: ScriptedCall): Promise<ScriptedReply> {
    const [, name] = named.exec(call.systemText) ?? [];
    const token = tokenOf(call);
    if (name === undefined) return this.scenarios.get(token)?.root(call, token) ?? say('no such run');
    if (call.turn === 0) return useTool('add_plan_steps', { steps: [`planned by ${name}`] });
    if (name === 'two') await this.gates.get(token)?.opened;
    return say(`Done ${name}.`);
  }
}

/** The summary of a delegation without the JSON that repeats it, so that the answer of a run stays short. */
function withoutPayload(text: string): string {
  return text.split('\n\n{"prompt_ns"', 1)[0] ?? text;
}
