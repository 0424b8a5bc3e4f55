/** A tool call that does not delegate. */
export interface ToolUse {
  readonly tool: string;
  readonly input: Record<string, unknown>;
  /** What the agent must hear about it: `denied` if the operator has to refuse it. */
  readonly outcome: 'ok' | 'denied';
}

/** A call that delegates, and the agents that it starts. */
export interface Delegating {
  readonly tool: 'dispatch_subagent' | 'dispatch_subagents' | 'dispatch_skill';
  readonly input: Record<string, unknown>;
  readonly children: readonly AgentPlan[];
}

export type Use = ToolUse | Delegating;

/** The script of one agent. */
export interface AgentPlan {
  /** Letters; those of its parent and one more. */
  readonly name: string;
  /** `shared`: it writes to the session of its parent. `own`: what it writes stays in its own session. */
  readonly session: 'own' | 'shared';
  /** The tool calls of each reply. After the last one it answers. A relay makes no calls: each step starts one agent. */
  readonly steps: readonly (readonly Use[])[];
  readonly isRelay?: boolean;
  /** The reply after which it hands off to a new conversation, from 0; undefined for none. */
  readonly handoffAfter?: number | undefined;
}

/** What one round plays. */
export interface TreePlan {
  readonly runId: string;
  readonly root: AgentPlan;
}

export function isDelegating(use: Use): use is Delegating {
  return 'children' in use;
}

export function childrenOf({ steps }: AgentPlan): AgentPlan[] {
  return steps.flat().flatMap((use) => (isDelegating(use) ? use.children : []));
}

/** The agent and all agents below it. */
export function agentsBelow(agent: AgentPlan): AgentPlan[] {
  return [agent, ...childrenOf(agent).flatMap(agentsBelow)];
}

/** The agents that write to the session of this agent: itself, and below it those that share it. */
export function membersOf(agent: AgentPlan): AgentPlan[] {
  return [agent, ...childrenOf(agent).flatMap((child) => (child.session === 'shared' ? membersOf(child) : []))];
}

/** Levels of delegation below the agent. */
export function depthBelow(agent: AgentPlan): number {
  return Math.max(0, ...childrenOf(agent).map((child) => 1 + depthBelow(child)));
}

/** How an agent is told who it is. It is the first line of its task, so that lists of delegations show it too. */
export function introduction(name: string, runId: string): string {
  return `You are agent ${name} of ${runId}.`;
}

/** Returns which agent of a run a text introduces; undefined if it introduces none of this run. */
export function introducedIn(text: string, runId: string): string | undefined {
  return new RegExp(`You are agent ([a-z]+) of ${runId}\\.`).exec(text)?.[1];
}
