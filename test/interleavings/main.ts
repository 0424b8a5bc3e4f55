// Explores all orders of events in larger worlds than the tests do: npm run interleavings -- --help
import { largeBounds } from './bounds';
import { budgetModel } from './budget';
import { childModel } from './children';
import { explore, type Model } from './explore';
import { journalModel } from './journal';
import { sessionModel } from './session-host';

const maxStates = 20_000_000;

async function report<State>(name: string, bounds: object, model: Model<State>): Promise<boolean> {
  const began = performance.now();
  const { states, steps, ends, violation } = await explore(model, maxStates);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  process.stdout.write(
    `${name} ${JSON.stringify(bounds)}: ${states} states, ${steps} steps, ${ends} ends, ${seconds} s\n`,
  );
  if (violation === undefined) return true;
  process.stdout.write(
    `  ${violation.what}\n${violation.way.map((step, index) => `  ${index + 1}. ${step}`).join('\n')}\n`,
  );
  return false;
}

const help = `Explores all orders of events in small worlds that run the real protocols, and checks what must hold in each.

  npm run interleavings               every protocol; takes about ten minutes
  npm run interleavings -- session    some of them: children, budget, journal, session

The exit code is 0 only if nothing wrong was found.
`;

type Exploration = () => Promise<boolean>;

const explorations: Readonly<Record<string, readonly Exploration[]>> = {
  children: largeBounds.children.map((bounds) => () => report('children', bounds, childModel(bounds))),
  budget: largeBounds.budget.map((bounds) => () => report('budget', bounds, budgetModel(bounds))),
  journal: largeBounds.journal.map((bounds) => () => report('journal', bounds, journalModel(bounds))),
  session: largeBounds.session.map((bounds) => () => report('session', bounds, sessionModel(bounds))),
};

async function main(names: readonly string[]): Promise<number> {
  if (names.includes('--help') || names.some((name) => !Object.hasOwn(explorations, name))) {
    process.stdout.write(help);
    return names.includes('--help') ? 0 : 2;
  }
  // Torn records are reported, and here there are thousands.
  process.emitWarning = () => undefined;
  const chosen = Object.entries(explorations).filter(([name]) => names.length === 0 || names.includes(name));
  let isGood = true;
  for (const explore of chosen.flatMap(([, each]) => each)) isGood = (await explore()) && isGood;
  return isGood ? 0 : 1;
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
