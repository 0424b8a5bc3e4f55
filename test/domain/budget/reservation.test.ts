import {
  charge,
  type Estimate,
  forfeitReservation,
  type Ledger,
  openLedger,
  remainingAllowance,
  reserve,
  settleReservation,
  shortfallForCall,
  type Spending,
  totalSpent,
} from '../../../domain/budget';
import type { Reservation, ShareRequest } from '../../../domain/budget/reservation';
import { noUsage } from '../../../domain/model';
import { noEstimate } from './no-estimate';

const need = (part: Partial<Estimate>): Estimate => ({ ...noEstimate, ...part });
const wanting = (part: Partial<ShareRequest>): ShareRequest => ({
  waiting: 1,
  own: noEstimate,
  first: noEstimate,
  ...part,
});
const spent = (input: number, microUsd = 0, turns = 1): Spending => ({ usage: { ...noUsage, input }, microUsd, turns });

function granted(reservation: Reservation): Reservation & { ok: true } {
  if (!reservation.ok) throw new Error(`refused: ${JSON.stringify(reservation.lack)}`);
  return reservation;
}

describe('the share of a delegation', () => {
  test('is what is left after the next own call, divided by the waiting delegations', () => {
    const ledger = charge(openLedger({ tokens: 1_000, microUsd: 500, turns: 21 }), spent(100, 50));
    const own = need({ tokens: 200, microUsd: 50, turns: 2 });
    const { share } = granted(reserve(ledger, 'a', wanting({ waiting: 4, own })));
    expect(share).toEqual({ tokens: 175, microUsd: 100, turns: 4 });
  });

  test('is everything that is left for a single delegation', () => {
    const { share, ledger } = granted(
      reserve(openLedger({ tokens: 100 }), 'a', wanting({ own: need({ tokens: 30 }) })),
    );
    expect(share).toEqual({ tokens: 70 });
    expect(remainingAllowance(ledger)).toEqual({ tokens: 30 });
  });

  test('is limited by its cap, and the others get the difference', () => {
    const first = granted(reserve(openLedger({ tokens: 100 }), 'a', wanting({ waiting: 2, cap: { tokens: 20 } })));
    expect(first.share).toEqual({ tokens: 20 });
    expect(granted(reserve(first.ledger, 'b', wanting({}))).share).toEqual({ tokens: 80 });
  });

  test('is not increased to its cap', () => {
    const { share } = granted(reserve(openLedger({ tokens: 100 }), 'a', wanting({ waiting: 2, cap: { tokens: 90 } })));
    expect(share).toEqual({ tokens: 50 });
  });

  test('is its cap where the delegating agent has no bound', () => {
    const { share, ledger } = granted(reserve(openLedger({ tokens: 100 }), 'a', wanting({ cap: { turns: 3 } })));
    expect(share).toEqual({ tokens: 100, turns: 3 });
    expect(remainingAllowance(ledger)).toEqual({ tokens: 0 });
  });

  test('is the same for all that leave the queue at once, except for a remainder', () => {
    const shares: number[] = [];
    let ledger = openLedger({ tokens: 1_000 });
    for (const waiting of [3, 2, 1]) {
      const given = granted(reserve(ledger, `d${waiting}`, wanting({ waiting })));
      ({ ledger } = given);
      shares.push(given.share.tokens!);
    }
    expect(shares).toEqual([333, 333, 334]);
  });

  test('that already exists is returned again', () => {
    const once = granted(reserve(openLedger({ tokens: 100 }), 'a', wanting({ waiting: 2 })));
    expect(reserve(once.ledger, 'a', wanting({}))).toEqual(once);
  });
});

describe('a delegation', () => {
  test('is started when its share pays for exactly one call', () => {
    const first = need({ tokens: 50, turns: 1 });
    const { share, ledger } = granted(
      reserve(openLedger({ tokens: 100, turns: 2 }), 'a', wanting({ waiting: 2, first })),
    );
    expect(shortfallForCall(openLedger(share), first)).toBeUndefined();
    expect(reserve(ledger, 'b', wanting({ first })).ok).toBe(true);
  });

  test.each<[string, Partial<ShareRequest>, number]>([
    ['its part does not pay one call', { waiting: 2 }, 50],
    ['what its agent needs for itself leaves too little', { own: need({ tokens: 50 }) }, 50],
    ['its agent needs more for itself than is left', { own: need({ tokens: 500 }) }, 0],
    ['its cap does not pay one call', { cap: { tokens: 5 } }, 5],
  ])('is not started when %s', (_, wanted, left) => {
    const refused = reserve(openLedger({ tokens: 100 }), 'a', wanting({ first: need({ tokens: 51 }), ...wanted }));
    expect(refused).toEqual({ ok: false, lack: { dimension: 'tokens', needed: 51, left } });
  });

  test('is not started when nothing is left', () => {
    const ledger = charge(openLedger({ turns: 1 }), spent(5));
    const refused = reserve(ledger, 'a', wanting({ first: need({ turns: 1 }) }));
    expect(refused).toEqual({ ok: false, lack: { dimension: 'turns', needed: 1, left: 0 } });
  });
});

describe('after a delegation', () => {
  const held = (): Ledger =>
    granted(reserve(openLedger({ tokens: 100, microUsd: 80 }), 'a', wanting({ cap: { tokens: 60 } }))).ledger;

  test('the unused part of its share is returned', () => {
    const ledger = settleReservation(held(), 'a', spent(10, 20, 3));
    expect(ledger.reserved).toEqual({});
    expect(remainingAllowance(ledger)).toEqual({ tokens: 90, microUsd: 60 });
    expect(totalSpent(ledger)).toEqual(spent(10, 20, 3));
  });

  test('everything it spent counts, even beyond its share', () => {
    const ledger = settleReservation(held(), 'a', spent(130, 0, 3));
    expect(ledger.delegated).toEqual(spent(130, 0, 3));
    expect(remainingAllowance(ledger)).toEqual({ tokens: 0, microUsd: 80 });
  });

  test('that was terminated, the whole share counts as spent', () => {
    const ledger = forfeitReservation(held(), 'a');
    expect(ledger.reserved).toEqual({});
    expect(ledger.delegated).toEqual(spent(60, 80, 0));
    expect(remainingAllowance(ledger)).toEqual({ tokens: 40, microUsd: 0 });
  });

  test('the shares of others are unchanged', () => {
    const { ledger } = granted(reserve(held(), 'b', wanting({ cap: { tokens: 40, microUsd: 0 } })));
    expect(Object.keys(forfeitReservation(ledger, 'a').reserved)).toEqual(['b']);
    expect(Object.keys(settleReservation(ledger, 'b', spent(1)).reserved)).toEqual(['a']);
  });
});

test('a tree without a budget makes no reservations, and only counts', () => {
  const first = need({ tokens: 1e9, microUsd: 1e9, turns: 1 });
  const { share, ledger } = granted(reserve(openLedger({}), 'a', wanting({ waiting: 1_000, own: first, first })));
  expect(share).toEqual({});
  expect(ledger).toEqual(openLedger({}));
  expect(settleReservation(ledger, 'a', spent(7))).toEqual({ ...openLedger({}), delegated: spent(7) });
  expect(forfeitReservation(ledger, 'a')).toEqual(openLedger({}));
});
