import type { SectionNode } from '../layout';
import { bullets, field } from '../markdown';
import type { WrappingInput } from './input';

/** Exactly these four bullets, in this order: the spec allows no other. */
export function summary({ delegation }: WrappingInput, delegationId: string): SectionNode {
  return {
    key: 'delegation-summary',
    title: 'Delegation Summary',
    body: [
      field('Delegation id', delegationId),
      field('Reason', delegation.reason),
      field('Expected result', delegation.expectedResult),
      field('May delegate further?', delegation.mayDelegateFurther ? 'yes' : 'no'),
    ].join('\n'),
  };
}

export function recap({ delegation: { recapLines = [] } }: WrappingInput): SectionNode[] {
  return recapLines.length === 0 ? [] : [{ key: 'recap', title: 'Recap', body: bullets(recapLines) }];
}
