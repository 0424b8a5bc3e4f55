import type { SectionNode } from '../layout';
import { bullets, field } from '../markdown';
import type { WrappingInput } from './wrap-input';

/** The summary section. The specification requires exactly these four bullets, in this order. */
export function summarySection({ delegation }: WrappingInput, delegationId: string): SectionNode {
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

/** The recap section; empty without recap lines. */
export function recapSections({ delegation: { recapLines = [] } }: WrappingInput): SectionNode[] {
  return recapLines.length === 0 ? [] : [{ key: 'recap', title: 'Recap', body: bullets(recapLines) }];
}
