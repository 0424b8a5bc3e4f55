import type { WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { startRelay } from '../../client/agent/start';
import { defaultLimits } from '../../domain/agent';
import { parseRelay, type RelayDefinition, type RelayInput } from '../../domain/relay';
import { say, type ScriptedCall, type ScriptedReply, useTool } from '../../testing/scripted-model';
import type { RelayWorkflow } from '../../workflows/relay/relay-workflow';
import type { Harness } from './harness';
import { executed } from './skill-project';

export type RelayHandle = WorkflowHandle<RelayWorkflow>;

export async function playRelay(
  harness: Harness,
  relay: RelayDefinition,
  wishes: Partial<RelayInput> = {},
): Promise<RelayHandle> {
  const { workflowId } = await startRelay(harness.client, harness.taskQueue, {
    runId: `t-${randomUUID().replaceAll('-', '').slice(0, 16)}`,
    goal: 'Add OAuth.',
    relay,
    model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000 },
    limits: { ...defaultLimits, maxTurns: 50 },
    tuning: { heartbeatTimeoutMs: 2_000 },
    ...wishes,
  });
  return harness.client.workflow.getHandle<RelayWorkflow>(workflowId);
}

export function relayNamed(name: string, steps: readonly object[]): RelayDefinition {
  const parsed = parseRelay({ name, description: 'For a test.', steps });
  if (parsed.ok) return parsed.relay;
  throw new Error(JSON.stringify(parsed.problems));
}

/** Returns which shipped skill a call belongs to. */
export function skillOf({ systemText }: ScriptedCall): string {
  return /^You are an? (?:[\w-]+ )?(researcher|planner|executor|verifier)\b/m.exec(systemText)?.[1] ?? '';
}

/** Returns a field of the input by its title. */
export function inputOf({ systemText }: ScriptedCall, title: string): string | undefined {
  const line = new RegExp(`^${title}: (.*)$`, 'm').exec(systemText.slice(systemText.lastIndexOf('# INPUT')))?.[1];
  return line === undefined ? undefined : (JSON.parse(line) as string);
}

export const discovered =
  '<response><discovery><answer>It is plain.</answer><artifact>DISCOVERY.md</artifact></discovery></response>';

const step = (id: string, file: string): string =>
  `<step><id>${id}</id><title>Do</title><file>${file}</file><action>Change it</action><check>Look</check></step>`;
const plannedTwo =
  `<response><plan><goal>OAuth</goal><condition>It works</condition>${step('s1', 'src/login.ts')}` +
  `${step('s2', 'src/login.ts')}<artifact>PLAN.md</artifact></plan></response>`;

export function verdict(verdict: 'pass' | 'fail'): string {
  const findings =
    verdict === 'pass'
      ? []
      : [{ severity: 'blocking', place: 'src/login.ts:1', problem: 'no OAuth', expected: 'OAuth' }];
  return JSON.stringify({ verdict, summary: 'Looked.', conditions: [], findings });
}

/**
 * Plays the shipped skills. Executors append what they do to `src/login.ts`. Verification passes in round `passesIn`.
 */
export function featureScript(passesIn = 2): (call: ScriptedCall) => ScriptedReply {
  return (call) => {
    switch (skillOf(call)) {
      case 'researcher':
        return call.turn === 0
          ? useTool('write_artifact', { name: 'DISCOVERY.md', content: 'RESEARCHED' })
          : say(discovered);
      case 'planner':
        if (call.turn === 0)
          return useTool('write_artifact', { name: 'PLAN.md', content: 'PLANNED: change `src/login.ts`.' });
        return say(plannedTwo);
      case 'executor':
        return execute(call);
      default:
        return say(verdict(call.systemText.split('+again').length > 2 * (passesIn - 1) ? 'pass' : 'fail'));
    }
  };
}

function execute(call: ScriptedCall): ScriptedReply {
  if (call.turn > 0) return say(executed);
  const what = `${inputOf(call, 'Step') ?? ''}${inputOf(call, 'Feedback') === undefined ? '' : '+again'}`;
  const before = /<file path="src\/login\.ts">\n([\s\S]*?)\n?<\/file>/.exec(call.systemText)?.[1] ?? '';
  return useTool('write_file', { path: 'src/login.ts', content: `${before}\n${what}\n` });
}
