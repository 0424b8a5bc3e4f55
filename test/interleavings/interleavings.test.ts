import { addSpending, nothingSpent } from '../../domain/budget';
import { budgetModel, budgetProtocol } from './budget';
import { childModel, childProtocol } from './children';
import { explore, type Exploration, type Model } from './explore';
import { journalModel, journalProtocol } from './journal';
import { ReplacingDisk } from './memory-disk';
import { sessionModel, sessionProtocol, type SessionProtocol } from './session-host';
import { smallBounds } from './bounds';

beforeAll(() => {
  // Torn records are reported, and here there are thousands.
  jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});
afterAll(() => {
  jest.restoreAllMocks();
});

async function exploreAll<State>(model: Model<State>): Promise<Exploration> {
  const found = await explore(model);
  process.stderr.write(`${found.states} states, ${found.steps} steps, ${found.ends} ends\n`);
  return found;
}

describe('in every order of what can happen', () => {
  test.each(smallBounds.session)('a shared session loses and repeats no write: %j', async (bounds) => {
    const { violation, ends } = await exploreAll(sessionModel(bounds));
    expect(violation).toBeUndefined();
    expect(ends).toBeGreaterThan(1);
  });

  test.each(smallBounds.children)('a delegation that has completed never runs again: %j', async (bounds) => {
    const { violation, ends } = await exploreAll(childModel(bounds));
    expect(violation).toBeUndefined();
    expect(ends).toBeGreaterThan(1);
  });

  test.each(smallBounds.budget)('a budget is not exceeded, and the books balance: %j', async (bounds) => {
    const { violation, ends } = await exploreAll(budgetModel(bounds));
    expect(violation).toBeUndefined();
    expect(ends).toBeGreaterThan(1);
  });

  test.each(smallBounds.journal)('a record is journaled once, and survives: %j', async (bounds) => {
    const { violation, ends } = await exploreAll(journalModel(bounds));
    expect(violation).toBeUndefined();
    expect(ends).toBeGreaterThan(1);
  });
});

describe('a planted defect is found: a host that', () => {
  const bounds = { writers: 2, turns: 2, crashes: 1, resets: 1, moves: 1 };
  const withHost = (change: Partial<SessionProtocol>): Promise<Exploration> =>
    explore(sessionModel(bounds, { ...sessionProtocol, ...change }));
  /** A host that changes what it remembers of the writer before each request. */
  const remembering =
    (forget: (writer: string, own: Readonly<Record<string, unknown>>) => object): SessionProtocol['applyRequests'] =>
    (schema, state, remembered, requests) => {
      const [request] = requests;
      const { [request?.writer ?? '']: own, ...others } = state.writers;
      const writers =
        own === undefined || request === undefined ? others : { ...others, ...forget(request.writer, own) };
      return sessionProtocol.applyRequests(schema, { ...state, writers: writers }, remembered, requests);
    };

  test('applies a repeated request again', async () => {
    const { violation } = await withHost({ applyRequests: remembering(() => ({})) });
    expect(violation?.what).toMatch(/was applied twice|has written/);
  });

  test('does not fence off an execution that was replaced', async () => {
    const unfenced = remembering((writer, own) => ({ [writer]: { ...own, at: -1 } }));
    const { violation } = await withHost({ applyRequests: unfenced });
    expect(violation?.what).toMatch(/has written|was applied twice/);
  });

  test('forgets its writers when they are moved to the store', async () => {
    const { violation } = await withHost({ writersToFind: () => [] });
    expect(violation?.what).toMatch(/has written|was applied twice/);
  });

  test('drops all writers when it moves one', async () => {
    const afterStoring: SessionProtocol['afterStoring'] = (state, moved, page) => ({
      ...sessionProtocol.afterStoring(state, moved, page),
      writers: {},
    });
    const { violation } = await withHost({ afterStoring });
    expect(violation?.what).toMatch(/has written|was applied twice/);
  });

  test('takes what is in the store for newer than what it remembers', async () => {
    const afterFinding: SessionProtocol['afterFinding'] = (state, found) => ({
      ...state,
      writers: { ...state.writers, ...found },
    });
    // Needs a writer that writes while another request of it waits for the store.
    const more = { ...bounds, writers: 1, crashes: 2, moves: 1 };
    const { violation } = await explore(sessionModel(more, { ...sessionProtocol, afterFinding }));
    expect(violation?.what).toMatch(/was refused|has written|was applied twice/);
  });

  test('loses a write that it confirms', async () => {
    const applyRequests: SessionProtocol['applyRequests'] = (schema, state, remembered, requests) => {
      const step = sessionProtocol.applyRequests(schema, state, remembered, requests);
      return step.state.session.version === 2 ? { ...step, state: { ...step.state, session: state.session } } : step;
    };
    const { violation } = await withHost({ applyRequests });
    expect(violation?.what).toMatch(/is lost|differs/);
  });
});

describe('a planted defect is found: a parent that', () => {
  const bounds = { delegations: 2, failures: 1, resets: 1, retries: 1 };

  test('starts completed delegations again', async () => {
    const reusePolicy = (): 'ALLOW_DUPLICATE' => 'ALLOW_DUPLICATE';
    const { violation } = await explore(childModel(bounds, { ...childProtocol, reusePolicy }));
    expect(violation?.what).toMatch(/had completed and runs again/);
  });

  test('repeats what an operator did not name', async () => {
    const mustRunAgain: typeof childProtocol.mustRunAgain = (_, { hasFailed }) => hasFailed;
    const { violation } = await explore(childModel(bounds, { ...childProtocol, mustRunAgain }));
    expect(violation?.what).toMatch(/although nobody asked/);
  });

  test('repeats every failed delegation without asking', async () => {
    const reusePolicy = (): 'ALLOW_DUPLICATE_FAILED_ONLY' => 'ALLOW_DUPLICATE_FAILED_ONLY';
    const { violation } = await explore(childModel(bounds, { ...childProtocol, reusePolicy }));
    expect(violation?.what).toMatch(/although nobody asked/);
  });
});

describe('a planted defect is found: a budget that', () => {
  const bounds = { tokens: 11, delegations: 2, terminations: 1, lost: 0 };
  const withBudget = (change: Partial<typeof budgetProtocol>, more = {}): Promise<Exploration> =>
    explore(budgetModel({ ...bounds, ...more }, { ...budgetProtocol, ...change }));
  const { settleReservation } = budgetProtocol;

  test('does not record a reservation', async () => {
    const reserve: typeof budgetProtocol.reserve = (ledger, id, request) => {
      const reserved = budgetProtocol.reserve(ledger, id, request);
      return reserved.ok ? { ...reserved, ledger } : reserved;
    };
    expect((await withBudget({ reserve })).violation?.what).toMatch(/paid|could not use/);
  });

  test('shares what the agent needs for itself', async () => {
    const reserve: typeof budgetProtocol.reserve = (ledger, id, request) =>
      budgetProtocol.reserve(ledger, id, { ...request, own: { tokens: 0, microUsd: 0, turns: 0 } });
    expect((await withBudget({ reserve })).violation?.what).toMatch(/could not use/);
  });

  test('releases the reservation of another delegation, too', async () => {
    const broken: typeof settleReservation = (ledger, id, spent) => ({
      ...settleReservation(ledger, id, spent),
      reserved: {},
    });
    // The third delegation then gets what the second may still spend.
    const { violation } = await withBudget(
      { settleReservation: broken },
      { tokens: 16, delegations: 3, terminations: 0 },
    );
    expect(violation?.what).toMatch(/paid|could not use/);
  });

  test('settles a report twice', async () => {
    const broken: typeof settleReservation = (ledger, id, spent) =>
      settleReservation(settleReservation(ledger, id, spent), id, spent);
    expect((await withBudget({ settleReservation: broken })).violation?.what).toMatch(/but \d+ were paid/);
  });

  test('forgets what a terminated delegation has spent', async () => {
    const { violation } = await withBudget({
      settleUnreported: (ledger, id) => budgetProtocol.settleUnreported(ledger, id, nothingSpent),
    });
    expect(violation?.what).toMatch(/but \d+ were paid/);
  });

  test('counts the spending of the first execution again after the second', async () => {
    const { violation } = await withBudget(
      { subtractSpending: (whole) => whole },
      { delegations: 1, terminations: 2, tokens: 14 },
    );
    expect(violation?.what).toMatch(/but \d+ were paid/);
  });

  test('counts nothing if the spending of a delegation can not be found out', async () => {
    const { violation } = await withBudget(
      { forfeitReservation: (ledger, id) => settleReservation(ledger, id, addSpending(nothingSpent, nothingSpent)) },
      { lost: 1 },
    );
    expect(violation?.what).toMatch(/but \d+ were paid/);
  });
});

describe('a planted defect is found: a journal that', () => {
  const bounds = { writers: ['later', 'later'], kills: 0, powerCuts: 1 } as const;

  test('lets the last writer win', async () => {
    const newDisk = (): ReplacingDisk => new ReplacingDisk();
    const { violation } = await explore(journalModel({ ...bounds, powerCuts: 0 }, { ...journalProtocol, newDisk }));
    expect(violation?.what).toMatch(/two answers were/);
  });

  test('returns what a writer wrote instead of what won', async () => {
    const { putIfAbsent } = journalProtocol;
    const own: typeof putIfAbsent = async (run, key, bytes, later) =>
      putIfAbsent(run, key, bytes, later).then(() => bytes);
    const { violation } = await explore(
      journalModel({ ...bounds, powerCuts: 0 }, { ...journalProtocol, putIfAbsent: own }),
    );
    expect(violation?.what).toMatch(/two answers were/);
  });

  test('reports a record before it is synced', async () => {
    const { violation } = await explore(journalModel(bounds, { ...journalProtocol, flush: () => Promise.resolve() }));
    expect(violation?.what).toMatch(/two answers were reported|is lost/);
  });
});
