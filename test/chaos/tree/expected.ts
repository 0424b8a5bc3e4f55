import { type AgentPlan, agentsBelow, childrenOf, isDelegating, membersOf, type ToolUse } from './plan';
import { answerText } from './play';

/** What a run of the tree must leave, computed from its plan and from which agents an operator terminated. */
export class Expected {
  /** Agents that ran to their end: no operator terminated them or an agent above. */
  readonly finished: readonly AgentPlan[];

  constructor(
    readonly root: AgentPlan,
    private readonly terminated: ReadonlySet<string> = new Set(),
  ) {
    const ended = (agent: AgentPlan): AgentPlan[] =>
      terminated.has(agent.name) ? [] : [agent, ...childrenOf(agent).flatMap(ended)];
    this.finished = ended(root);
  }

  /** Agents that may have done only a part of their work. */
  get cutShort(): AgentPlan[] {
    return agentsBelow(this.root).filter((agent) => !this.finished.includes(agent));
  }

  answer(agent: AgentPlan = this.root): string {
    if (this.terminated.has(agent.name)) return 'failed';
    if (agent.isRelay === true) return this.answer(childrenOf(agent).at(-1));
    const uses = agent.steps.slice(agent.handoffAfter === undefined ? 0 : agent.handoffAfter + 1).flat();
    const parts = uses.map((use) =>
      isDelegating(use) ? use.children.map((child) => this.answer(child)).join(' ') : use.outcome,
    );
    return answerText(agent.name, parts);
  }
}

/** Names of the calls that an agent makes if nothing is interrupted. */
export function callsOf({ name, steps, handoffAfter, isRelay }: AgentPlan): string[] {
  if (isRelay === true) return [];
  const turns = (conversation: number, count: number): string[] =>
    Array.from({ length: count }, (_, turn) => `${name}/${conversation}/${turn}`);
  if (handoffAfter === undefined) return turns(0, steps.length + 1);
  return [...turns(0, handoffAfter + 1), `${name}/0/handoff`, ...turns(1, steps.length - handoffAfter)];
}

/** Successful calls of a tool by an agent. */
function successes(agent: AgentPlan, tool: string): ToolUse[] {
  return agent.steps
    .flat()
    .flatMap((use) => (!isDelegating(use) && use.tool === tool && use.outcome === 'ok' ? [use] : []));
}

/** What an agent adds to its session and leaves behind. Names contain the agent's, so no two are equal. */
export interface Writes {
  readonly notes: readonly string[];
  readonly steps: readonly string[];
  readonly files: readonly string[];
}

export function writesOf(agent: AgentPlan): Writes {
  return {
    notes: successes(agent, 'add_note').map(({ input }) => String(input['text'])),
    steps: successes(agent, 'add_plan_steps').flatMap(({ input }) => input['steps'] as string[]),
    files: successes(agent, 'write_file').map(({ input }) => String(input['path'])),
  };
}

export function artifactsOf(agent: AgentPlan): string[] {
  return successes(agent, 'write_artifact').map(({ input }) => String(input['name']));
}

/** The agents whose files the root has at its end. A relay has those of its steps. */
export function fileWriters(root: AgentPlan): AgentPlan[] {
  return root.isRelay === true ? childrenOf(root).flatMap(membersOf) : membersOf(root);
}
