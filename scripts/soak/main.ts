// Keeps workers busy for a long time and shows that nothing grows: `npm run soak`, see docs/testing.md.
import { columns } from '../../cli/screen/table';
import { interruptedCode, watchInterruption } from '../interruption';
import { help, InvalidOption, planOf, type SoakPlan } from './plan';
import { startScene } from './scene';
import { soak, type SoakResult } from './soak';
import { levelsOf, tableOf } from './verdict';

/** Levels of a shorter time say nothing. */
const leastJudgedMinutes = 5;
/** Violations that are printed. */
const maxShown = 20;

const begun = Date.now();

function say(line: string): void {
  process.stdout.write(`${((Date.now() - begun) / 60_000).toFixed(1).padStart(6)} min  ${line}\n`);
}

/** Runs a soak and returns the exit code. */
async function main(plan: SoakPlan): Promise<number> {
  const interruption = watchInterruption(say);
  const scene = await startScene(plan.workers, say);
  try {
    return report(plan, await soak(plan, scene, interruption.signal, say), interruption.signal.aborted);
  } finally {
    await scene.close();
    interruption.release();
  }
}

function report({ minutes, warmUp }: SoakPlan, { readings, violations }: SoakResult, wasInterrupted: boolean): number {
  const isJudged = minutes >= leastJudgedMinutes && !wasInterrupted;
  const levels = readings.length === 0 ? [] : levelsOf(readings, warmUp * 60_000);
  process.stdout.write(`\n${columns(tableOf(levels, isJudged))}\n\n`);
  const grown = isJudged ? levels.filter(({ isExceeded }) => isExceeded) : [];
  const found = [...violations, ...grown.map(({ name }) => `more than allowed: ${name}`)];
  for (const violation of found.slice(0, maxShown)) say(`✗ ${violation}`);
  if (found.length > maxShown) say(`✗ and ${found.length - maxShown} more`);
  if (wasInterrupted) return interruptedCode;
  if (found.length > 0) return 1;
  say(isJudged ? 'everything stayed level' : 'every run ended as expected; the time was too short to judge levels');
  return 0;
}

Promise.resolve(process.argv.slice(2))
  .then(planOf)
  .then((plan) => {
    if (plan !== undefined) return main(plan);
    process.stdout.write(`${help}\n`);
    return 0;
  })
  .then((code) => process.exit(code))
  .catch((error: unknown) => {
    const isInvalid = error instanceof InvalidOption;
    const text = isInvalid ? `${error.message}\n\n${help}` : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${text ?? ''}\n`);
    process.exit(isInvalid ? 2 : 1);
  });
