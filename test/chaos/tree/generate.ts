import { type Random, seeded } from '../random';
import type { AgentPlan, TreePlan, Use } from './plan';
import { isolated, randomCommand, randomUse, shared, skilled } from './uses';

export interface TreeOptions {
  /** Most agents of a tree, the root included. */
  readonly maxAgents: number;
  /** Whether the machine has a sandbox for commands. */
  readonly hasCommands: boolean;
}

/** Levels of delegation below the root. */
export const maxDepth = 4;
const maxSteps = 3;
const maxBatch = 3;

/** Generates a tree; the same one for the same seed and options. */
export function generateTree(seed: number, runId: string, options: TreeOptions): TreePlan {
  const random = seeded(seed);
  const generator = new Generator(random, runId, options);
  return { runId, root: random(5) === 0 ? generator.relay() : generator.agent('r', 0, 'own') };
}

class Generator {
  private agentsLeft: number;

  constructor(
    private readonly random: Random,
    private readonly runId: string,
    private readonly options: TreeOptions,
  ) {
    this.agentsLeft = options.maxAgents - 1;
  }

  /** A relay of two or three skills, which may delegate. */
  relay(): AgentPlan {
    const count = Math.min(2 + this.random(2), this.agentsLeft);
    this.agentsLeft -= count;
    const steps = Array.from({ length: count }, (_, index) => [
      skilled(this.agent(`r${letter(index)}`, 1, 'own'), this.runId),
    ]);
    return { name: 'r', session: 'own', isRelay: true, steps };
  }

  agent(name: string, depth: number, session: AgentPlan['session']): AgentPlan {
    const count = 1 + this.random(maxSteps);
    const numbers = { use: 0, child: 0 };
    // The root delegates in one of its replies, so that every tree is one.
    const delegatesIn = depth === 0 ? this.random(count) : undefined;
    const steps = Array.from({ length: count }, (_, index) =>
      this.step(name, depth, numbers, index === delegatesIn || this.chance(depth === 0 ? 30 : 55)),
    );
    const handoffAfter = this.chance(12) ? this.random(count) : undefined;
    return { name, session, steps, handoffAfter };
  }

  private step(name: string, depth: number, numbers: { use: number; child: number }, delegates: boolean): Use[] {
    if (this.options.hasCommands && !delegates && this.chance(15)) return [randomCommand(this.random)];
    const uses: Use[] = Array.from({ length: 1 + this.random(2) }, () =>
      randomUse(this.random, name, (numbers.use += 1)),
    );
    if (delegates && depth < maxDepth && this.agentsLeft > 0) uses.push(this.delegation(name, depth, numbers));
    return uses;
  }

  private delegation(name: string, depth: number, numbers: { child: number }): Use {
    const kind = this.random(3);
    const size = kind < 2 ? 1 : Math.min(2 + this.random(maxBatch - 1), this.agentsLeft);
    this.agentsLeft -= size;
    const children = Array.from({ length: size }, () =>
      this.agent(`${name}${letter(numbers.child++)}`, depth + 1, kind < 2 ? 'own' : 'shared'),
    );
    if (kind === 2) return shared(children, this.runId);
    return (kind === 0 ? isolated : skilled)(children[0]!, this.runId);
  }

  private chance(percent: number): boolean {
    return this.random(100) < percent;
  }
}

function letter(index: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + index);
}
