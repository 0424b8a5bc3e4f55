import { parseRelay, type RelayDefinition } from '../../../domain/relay';

export function relayOf(steps: readonly object[]): RelayDefinition {
  const parsed = parseRelay({ name: 'r', description: 'R.', steps });
  if (parsed.ok) return parsed.relay;
  throw new Error(JSON.stringify(parsed.problems));
}

/** Problems as `field: message`. */
export function problemsOf(steps: readonly object[]): string[] {
  const parsed = parseRelay({ name: 'r', description: 'R.', steps });
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
}

export const goal = { goal: { from: 'goal' } };

/** A relay with a plan, one execution for each step of the plan, and a verification that loops back. */
export const feature = relayOf([
  { name: 'plan', skill: 'planner', input: goal, artifacts: ['PLAN.md'] },
  {
    name: 'execute',
    skill: 'executor',
    each: { from: 'steps.plan.output.step' },
    input: { ...goal, step: { from: 'each.id' } },
  },
  {
    name: 'verify',
    skill: 'verifier',
    input: { ...goal, report: { from: 'steps.execute.output[*].summary', as: 'text' } },
    loop: {
      when: { from: 'steps.verify.output.verdict', equals: 'fail' },
      to: 'execute',
      max: 2,
      feedback: { feedback: { from: 'steps.verify.output.findings', as: 'text' } },
    },
  },
]);
