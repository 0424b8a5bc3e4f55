// Explores all orders of events in larger worlds than the tests do: npm run interleavings
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

async function main(): Promise<void> {
  // Torn records are reported, and here there are thousands.
  process.emitWarning = () => undefined;
  const results = [];
  for (const bounds of largeBounds.children) results.push(await report('children', bounds, childModel(bounds)));
  for (const bounds of largeBounds.budget) results.push(await report('budget', bounds, budgetModel(bounds)));
  for (const bounds of largeBounds.journal) results.push(await report('journal', bounds, journalModel(bounds)));
  for (const bounds of largeBounds.session) results.push(await report('session', bounds, sessionModel(bounds)));
  process.exitCode = results.every(Boolean) ? 0 : 1;
}

void main();
