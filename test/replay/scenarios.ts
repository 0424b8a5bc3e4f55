import { defaultLimits } from '../../domain/agent';
import {
  failFirstAttempts,
  dropConnection,
  hang,
  scriptByTurn,
  overloaded,
  rateLimited,
  refuse,
  say,
  useTool,
  useTools,
} from '../../testing/scripted-model';
import { byDepth, dispatch } from '../support/delegation-script';
import type { Harness, RunHandle } from '../support/harness';
import { bursts, failedBurst, fallback, foundTools, steeredBurst, unsavedAnswer } from './model-scenarios';
import {
  approvals,
  beyondBudget,
  handedOver,
  parkedAndRetried,
  pausedAndSteered,
  questions,
  relayed,
  skillRepaired,
  texts,
} from './operator-scenarios';
import type { Scenario } from './scenario';

const batch = (...reasons: readonly string[]): Record<string, unknown> => ({
  delegations: reasons.map((reason) => ({
    reason,
    expected_result: 'A word.',
    may_delegate_further: 'no',
    recap_lines: [reason],
  })),
});
const look = useTool('list_files', { path: '.' });

/**
 * One run for each path through the workflow code. None has a workspace, because its path would be in the history. Add
 * a scenario for each new path, and record it with the release.
 */
export const scenarios: readonly Scenario[] = [
  { name: 'plain-answer', script: () => say('Forty-two.') },
  {
    name: 'tool-turns',
    script: scriptByTurn(
      look,
      useTools([
        { name: 'list_files', input: { path: 'a' } },
        { name: 'no_such_tool', input: {} },
      ]),
      say('Nothing there.'),
    ),
  },
  {
    name: 'provider-trouble',
    script: failFirstAttempts(
      [overloaded(), rateLimited({ retryAfterSeconds: 1 }), dropConnection()],
      scriptByTurn(look, say('Done all the same.')),
    ),
  },
  {
    name: 'continue-as-new',
    script: scriptByTurn(look, look, look, look, say('At last.')),
    wishes: { tuning: { turnsPerExecution: 2 } },
  },
  {
    name: 'tools-outside',
    script: byDepth(
      scriptByTurn(useTool('dispatch_subagents', batch('Look.', 'Look again.')), say('Done.')),
      scriptByTurn(useTool('add_note', { text: 'seen' }), say('Looked.')),
    ),
    wishes: { tuning: { toolsInside: false } },
  },
  {
    name: 'turns-in-one-activity',
    script: scriptByTurn(look, useTool('add_note', { text: 'Seen.' }), say('Seen.')),
    wishes: { tuning: { turnsPerActivity: 8 } },
  },
  {
    name: 'delegation',
    script: byDepth(
      scriptByTurn(useTool('dispatch_subagent', dispatch()), say('The child looked.')),
      scriptByTurn(look, say('Nothing there.')),
    ),
  },
  {
    name: 'failed-delegation',
    script: byDepth(scriptByTurn(useTool('dispatch_subagent', dispatch()), say('The child would not.')), () =>
      refuse(),
    ),
  },
  {
    name: 'shared-batch',
    script: byDepth(scriptByTurn(useTool('dispatch_subagents', batch('Look.', 'Decline.')), say('Done.')), (call) => {
      if (call.systemText.includes('**Reason** – Decline.')) return refuse();
      return call.turn === 0 ? useTool('add_note', { text: 'seen' }) : say('Looked.');
    }),
    wishes: { tuning: { requestsPerHost: 1 } },
  },
  { name: 'turn-limit', script: () => look, wishes: { limits: { ...defaultLimits, maxTurns: 2 } } },
  {
    name: 'cancelled',
    script: (call) => (call.turn === 0 ? look : hang({ afterEvents: 3, answer: say('An answer that never ends') })),
    async meddle(harness: Harness, handle: RunHandle): Promise<unknown> {
      await harness.model.waitForCall(1);
      return handle.cancel();
    },
  },
  parkedAndRetried,
  pausedAndSteered,
  handedOver,
  beyondBudget,
  skillRepaired,
  relayed,
  fallback,
  bursts,
  failedBurst,
  steeredBurst,
  unsavedAnswer,
  foundTools,
  approvals,
  questions,
  texts,
];
