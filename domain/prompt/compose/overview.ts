import type { SectionNode } from '../layout';
import { code, field } from '../markdown';
import type { CompositionInput } from './compose-input';

/** The Delegation Overview section, which comes first and states the reason for the delegation. */
export function overviewSection({ parent, delegation }: CompositionInput, delegationId: string): SectionNode {
  return {
    key: 'delegation-overview',
    title: 'Delegation Overview',
    body: [
      field('Delegation id', delegationId),
      field('Parent agent', code(parent.agentId)),
      field('Parent prompt key', code(`${parent.promptNs}/${parent.promptKey}`)),
      field('Reason', delegation.reason),
      field('Expected completion state', delegation.expectedCompletion),
      field('May delegate further?', delegation.mayDelegateFurther ? 'yes' : 'no'),
    ].join('\n'),
  };
}
