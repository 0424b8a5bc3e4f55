import { outcomeOf, type RunOutcome } from '../../client/agent/outcome';
import { runWorkflowId } from '../../domain/kernel';
import type { CallRecord, ScriptedModel } from '../../testing/scripted-model';
import { loadFinalText } from '../agent/final-text';
import type { CliContext } from '../context';
import type { Claim, Stage } from './stage';

/** A stage with a scripted model, whose calls can be inspected. */
export type ScriptedStage = Stage & { readonly model: ScriptedModel };
/** A story that needs the scripted model. */
export type ScriptedStory = (context: CliContext, stage: ScriptedStage) => Promise<Claim[]>;

/** Whether the stage has a scripted model. */
export function isScripted(stage: Stage): stage is ScriptedStage {
  return stage.model !== undefined;
}

/** The end of a run, as shown. */
export interface Ended {
  readonly outcome: RunOutcome;
  /** Empty unless the run completed. */
  readonly answer: string;
}

/** Waits until a run has ended and prints its answer or failure. */
export async function showEnd({ terminal, ...context }: CliContext, stage: Stage, runId: string): Promise<Ended> {
  const outcome = await outcomeOf(stage.client, runId);
  const answer =
    outcome.kind === 'completed' ? await loadFinalText({ terminal, ...context }, runId, outcome.result) : '';
  if (outcome.kind === 'completed') terminal.print(`  the answer:\n${answer.replace(/^/gm, '    | ')}`);
  if (outcome.kind === 'failed') terminal.print(`  it failed: ${outcome.type}: ${outcome.message}`);
  terminal.print(stage.whereIs(runWorkflowId(runId)));
  return { outcome, answer };
}

/** Returns the model calls since a story began. */
export function asked({ model }: ScriptedStage, before: number): readonly CallRecord[] {
  return model.calls.slice(before);
}

/** Returns everything that a call sent to the model, as one text. */
export function wordsOf({ request }: CallRecord): string {
  return JSON.stringify([request.system, request.messages]);
}

/** Whether every answered call was made only once. */
export function eachOnce(calls: readonly CallRecord[]): boolean {
  const answered = calls.filter(({ outcome }) => outcome === 'answered').map(({ digest }) => digest);
  return new Set(answered).size === answered.length;
}
