import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultLimits } from '../../domain/agent';
import {
  createGate,
  overloaded,
  rateLimited,
  refuse,
  say,
  type Script,
  scriptByTurn,
  useTool,
} from '../../testing/scripted-model';
import { steerUpdate } from '../../workflows/messages';
import { byDepth, dispatch } from '../support/delegation-script';
import { lookUp } from '../support/handoffs';
import type { RunHandle } from '../support/harness';
import { serverTools } from '../support/server-tools';
import { until } from '../support/until';
import type { Scenario } from './scenario';

const note = (text: string): ReturnType<typeof useTool> => useTool('add_note', { text });
const model = { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000, fallback: ['claude-haiku-5-5'] };

/** The first model is replaced, and the delegation begins with the one that replaced it. */
export const fallback: Scenario = {
  name: 'fallback',
  script: (call) => (call.request.model === model.name ? overloaded() : delegating(call)),
  wishes: { model, tuning: { retryIntervalMs: 10 } },
};
const delegating = byDepth(
  scriptByTurn(note('before'), useTool('dispatch_subagent', dispatch()), say('Done.')),
  scriptByTurn(note('seen'), say('Looked.')),
);

/** A delegation takes more turns than an activity may. */
export const bursts: Scenario = {
  name: 'bursts',
  script: byDepth(scriptByTurn(useTool('dispatch_subagent', dispatch()), say('Done.')), ({ turn }) =>
    turn < 9 ? note(`note ${turn}`) : say('Noted.'),
  ),
};

/** A turn of a burst fails for good after others that were good. */
export const failedBurst: Scenario = {
  name: 'failed-burst',
  script: byDepth(scriptByTurn(useTool('dispatch_subagent', dispatch()), say('The child would not.')), ({ turn }) =>
    turn < 3 ? note(`note ${turn}`) : refuse(),
  ),
};

/** An operator steers an agent whose burst waits for its next attempt. */
export const steeredBurst: Scenario = {
  name: 'steered-burst',
  script: waitingOnce(({ turn }) => (turn < 4 ? note(`note ${turn}`) : say('As you wished.'))),
  wishes: { tuning: { turnsPerActivity: 8 } },
  async meddle(_, handle) {
    await untilRetried(handle);
    return handle.executeUpdate(steerUpdate, { args: [{ text: 'Be brief.' }] });
  },
};

/** The store is away when an answer arrives, and an operator steers the agent before it is back. */
export const unsavedAnswer: Scenario = {
  name: 'unsaved-answer',
  async script({ turn }) {
    if (turn === 1) await storeIsAway.opened;
    return turn < 3 ? note(`note ${turn}`) : say('As you wished.');
  },
  wishes: { tuning: { turnsPerActivity: 8 } },
  async meddle({ folder, model }, handle) {
    const [here, away] = [join(folder, 'store'), join(folder, 'away')];
    await model.waitForCall(1);
    await rename(here, away);
    storeIsAway.open();
    await untilRetried(handle);
    await handle.executeUpdate(steerUpdate, { args: [{ text: 'Be brief.' }] });
    return rename(away, here);
  },
};
const storeIsAway = createGate();

function untilRetried(handle: RunHandle): Promise<true> {
  return until(async () => {
    const { raw } = await handle.describe();
    return raw.pendingActivities?.some(({ attempt }) => (attempt ?? 0) > 1) === true ? true : undefined;
  });
}

function waitingOnce(then: Script): Script {
  let hasWaited = false;
  return (call) => {
    if (call.turn !== 2 || hasWaited) return then(call);
    hasWaited = true;
    return rateLimited({ retryAfterSeconds: 120 });
  };
}

/** Tools that the list has no room for are found, and one of them is called. */
export const foundTools: Scenario = {
  name: 'find-tool',
  options: { tools: [...serverTools, lookUp] },
  script: scriptByTurn(
    useTool('find_tool', { query: 'create an order', limit: 2 }),
    useTool('mcp__shop__create_order', { text: 'tea' }),
    say('Ordered.'),
  ),
  wishes: { limits: { ...defaultLimits, maxToolTokens: 300 } },
};
