import type { CallRecord, ScriptedModel } from '../../scripted-model';
import { runWorkflowId } from '../../domain/ids';
import type { CliContext } from '../context';
import { workflowPage } from '../links';
import { outcomeOf, type RunOutcome } from '../outcome';
import { loadText } from '../print-outcome';
import type { Claim } from './claim';
import type { Stage } from './stage';

/** A stage on which the model's side can be looked at too. */
export type ScriptedStage = Stage & { readonly model: ScriptedModel };
export type ScriptedStory = (context: CliContext, stage: ScriptedStage) => Promise<Claim[]>;

export function isScripted(stage: Stage): stage is ScriptedStage {
  return stage.model !== undefined;
}

export interface Ended {
  readonly outcome: RunOutcome;
  /** Empty unless it completed. */
  readonly answer: string;
}

/** Waits for the end of a run, and shows it. */
export async function showEnd({ terminal, ...context }: CliContext, stage: Stage, runId: string): Promise<Ended> {
  const outcome = await outcomeOf(stage.client, runId);
  const answer =
    outcome.kind === 'completed' ? await loadText({ terminal, ...context }, runId, outcome.result.answer) : '';
  if (outcome.kind === 'completed') terminal.print(`  the answer:\n${answer.replace(/^/gm, '    | ')}`);
  if (outcome.kind === 'failed') terminal.print(`  it failed: ${outcome.type}: ${outcome.message}`);
  terminal.print(`  Web UI: ${workflowPage(stage.server.uiUrl, 'default', runWorkflowId(runId))}`);
  return { outcome, answer };
}

/** What has been asked of the model since a story began. */
export function asked({ model }: ScriptedStage, before: number): readonly CallRecord[] {
  return model.calls.slice(before);
}

/** Everything that a call told the model, as one text. */
export function wordsOf({ request }: CallRecord): string {
  return JSON.stringify([request.system, request.messages]);
}

/** No call that was answered was ever asked again. */
export function eachOnce(calls: readonly CallRecord[]): boolean {
  const answered = calls.filter(({ outcome }) => outcome === 'answered').map(({ digest }) => digest);
  return new Set(answered).size === answered.length;
}
