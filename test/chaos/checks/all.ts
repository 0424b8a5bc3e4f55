import { diagnose } from '../../../client/why';
import type { Round } from '../round';
import { noCallPaidTwice } from './calls';
import { everyRunEnded, nothingRanTwice } from './executions';
import { noWorkerDied, nothingIsLeft } from './leftovers';
import { type Check, lookAt } from './look';
import { memoryIsBack } from './memory';
import { auditIsClean, everyHistoryReplays } from './records';
import { sameAnswer, sameFiles, sameToolResults } from './results';
import { everyWriteOnce } from './writes';

const checks: readonly Check[] = [
  everyRunEnded,
  sameAnswer,
  sameToolResults,
  sameFiles,
  everyWriteOnce,
  nothingRanTwice,
  noCallPaidTwice,
  auditIsClean,
  everyHistoryReplays,
  noWorkerDied,
  nothingIsLeft,
  memoryIsBack,
];

/** Checks a round from outside, and returns what is wrong. */
export async function violationsOf(round: Round): Promise<string[]> {
  if (!round.hasEnded) return [`the run has not ended: ${await reasonOf(round)}`];
  const aftermath = await lookAt(round);
  const found: string[] = [];
  for (const check of checks) {
    try {
      found.push(...(await check(aftermath)));
    } catch (error) {
      found.push(`a check could not be made: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return found;
}

/** What `baton why` says about a run that is open. */
async function reasonOf({ session: { client }, workflowId }: Round): Promise<string> {
  try {
    const { verdict, message } = await diagnose(client, workflowId);
    return `${verdict}: ${message}`;
  } catch (error) {
    return `nobody can tell why: ${error instanceof Error ? error.message : String(error)}`;
  }
}
