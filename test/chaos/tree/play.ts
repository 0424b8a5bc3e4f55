import {
  say,
  type ScriptedCall,
  type ScriptedReply,
  type ToolExchange,
  useTools,
} from '../../../testing/scripted-model';
import { handoffsBefore, isClosing, isRepair, writeHandoff } from '../../support/handoffs';
import { type AgentPlan, agentsBelow, introducedIn, isDelegating, type TreePlan, type Use } from './plan';

/** Slow enough that a fault often hits a call in progress. */
const pace = { delayMs: 60 };
/** Tokens that a reply reports if its agent is to hand off after it: most of the window. */
const crowded = { input_tokens: 150_000 };

/** Plays all agents of a tree, each by its own plan. The same request always gets the same reply. */
export class TreePlayer {
  private readonly agents: ReadonlyMap<string, AgentPlan>;

  constructor(private readonly tree: TreePlan) {
    this.agents = new Map(agentsBelow(tree.root).map((agent) => [agent.name, agent]));
  }

  /** Returns which agent a call belongs to; undefined if it is not one of this tree. */
  agentOf({ systemText }: Pick<ScriptedCall, 'systemText'>): AgentPlan | undefined {
    // The prompt of the parent is embedded. The agent's own task is around it.
    const before = systemText.split('<!-- PARENT PROMPT START -->')[0] ?? '';
    const after = systemText.split('<!-- PARENT PROMPT END -->').slice(1).at(-1) ?? '';
    return this.agents.get(introducedIn(`${before}\n${after}`, this.tree.runId) ?? '');
  }

  /** Names one call: the agent, the number of its conversation, and the number of the reply in it. */
  callName(call: ScriptedCall): string | undefined {
    const agent = this.agentOf(call);
    return (
      agent && `${agent.name}/${handoffsBefore(call)}/${isClosing(call) || isRepair(call) ? 'handoff' : call.turn}`
    );
  }

  reply(call: ScriptedCall): ScriptedReply {
    const agent = this.agentOf(call);
    if (agent === undefined) throw new Error('This call belongs to none of the agents of the tree');
    const text = `[${this.callName(call) ?? ''}]`;
    if (isClosing(call) || isRepair(call)) return { ...writeHandoff(call, { goal: `${text} Go on.` }), ...pace };
    const index = positionOf(agent, call);
    const uses = agent.steps[index];
    if (uses === undefined) return say(`${text} ${answerFrom(agent, call)}`, pace);
    const usage = index === agent.handoffAfter ? { usage: crowded } : {};
    return useTools(
      uses.map(({ tool, input }) => ({ name: tool, input })),
      { text, ...pace, ...usage },
    );
  }

  /** Returns what the agent was told that differs from its plan. */
  wronglyTold(call: ScriptedCall): string[] {
    const agent = this.agentOf(call);
    if (agent === undefined) return [];
    const exchanges = heardIn(call);
    const planned = agent.steps.slice(firstStepOf(agent, call)).flat();
    return exchanges.flatMap(({ result }, index) => {
      const use = planned[index];
      if (use === undefined) return [`${agent.name} made a call that its plan does not have`];
      if (isDelegating(use) || result === undefined || outcomeOf(result) === use.outcome) return [];
      return [`${agent.name} heard of ${use.tool} ${JSON.stringify(use.input)}: ${result.text}`];
    });
  }
}

/** Exchanges of the conversation without those that a crash interrupted: the agent has made these calls again. */
function heardIn({ toolExchanges }: ScriptedCall): ToolExchange[] {
  return toolExchanges.filter(({ result }) => !isInterrupted(result));
}

function isInterrupted(result: ToolExchange['result']): boolean {
  return result?.text.startsWith('Tool.Interrupted') === true;
}

function outcomeOf({ isError, text }: NonNullable<ToolExchange['result']>): string {
  if (!isError) return 'ok';
  return text.startsWith('Tool.Denied') ? 'denied' : 'failed';
}

/** The step that a conversation begins with: the first, or the one after the handoff. */
function firstStepOf({ handoffAfter }: AgentPlan, call: ScriptedCall): number {
  return handoffsBefore(call) === 0 || handoffAfter === undefined ? 0 : handoffAfter + 1;
}

function positionOf(agent: AgentPlan, call: ScriptedCall): number {
  const repeated = call.toolExchanges.filter(({ result }) => isInterrupted(result)).length;
  return firstStepOf(agent, call) + call.turn - repeated;
}

/** The answer says what the agent was told in its last conversation, so that the root's answer depends on all results. */
function answerFrom(agent: AgentPlan, call: ScriptedCall): string {
  const uses = agent.steps.slice(firstStepOf(agent, call)).flat();
  const parts = heardIn(call).map(({ result }, index) => partOf(uses[index], result));
  return answerText(agent.name, parts);
}

function partOf(use: Use | undefined, result: ToolExchange['result']): string {
  if (result === undefined || use === undefined) return 'nothing';
  if (!isDelegating(use)) return outcomeOf(result);
  return use.children.map(({ name }) => answerIn(result.text, name) ?? 'failed').join(' ');
}

/** Returns the answer of an agent in a text. Answers contain those of the agents below. */
export function answerIn(text: string, name: string): string | undefined {
  const from = text.search(new RegExp(`<<${name}(?: |>>)`));
  if (from < 0) return undefined;
  let open = 0;
  for (const { 0: mark, index } of text.slice(from).matchAll(/<<|>>/g)) {
    open += mark === '<<' ? 1 : -1;
    if (open === 0) return text.slice(from, from + index + 2);
  }
  return undefined;
}

export function answerText(name: string, parts: readonly string[]): string {
  return `<<${[name, ...parts].join(' ')}>>`;
}
