import { log } from '@temporalio/activity';
import type { PromptRecord } from '../domain/agent/prompt-record';
import { renderPicked, subagentComposition } from '../domain/dispatch/composition';
import type { DispatchSubagentParameters } from '../domain/dispatch/dispatch-subagent';
import { isDispatchTool } from '../domain/dispatch/tools';
import { DispatchRefusedError } from '../domain/dispatch/refusal';
import {
  composePromptOver,
  createRegistry,
  promptDefinitionSchema,
  type CompositionInput,
  type RenderedPrompt,
} from '../domain/prompt';
import type { RunStore } from '../domain/store/store';
import type { ToolDescription } from '../domain/tool/description';
import { sha256 } from '../store/digest';
import { getJson } from '../store/json-blobs';
import { loadPrompt, putComposedPrompt } from '../store/prompts';
import type { PrepareDelegationInput } from './interface';

/** What is known about a delegation once its call has been checked. */
export interface CheckedDelegation {
  readonly delegationId: string;
  readonly tools: readonly ToolDescription[];
  readonly parameters: DispatchSubagentParameters;
  readonly parentRecord: PromptRecord;
  readonly step: { readonly id: string; readonly title: string } | undefined;
  readonly mayDelegateFurther: boolean;
}

/** Composes the child's prompt, stores what is new in it, and returns the record of how it came about. */
export async function composeDelegation(
  store: RunStore,
  input: PrepareDelegationInput,
  checked: CheckedDelegation,
): Promise<PromptRecord> {
  const { prompt } = input.parent.opened;
  const picked = await render(store, input, checked);
  const parent = { bytes: await loadPrompt(store, prompt, 'prompt of the delegating agent'), hash: prompt.hash };
  const result = composePromptOver(parent, compositionOf(input, checked, picked), { sha256 });
  if (!result.ok) {
    log.warn('A prompt could not be composed', { ...result.log });
    const { field, reason, remediation, type } = result.error;
    throw new DispatchRefusedError(field, reason, remediation, type);
  }
  log.info('Composed a prompt', { ...result.log });
  return {
    version: 1,
    prompt: await putComposedPrompt(store, result, prompt),
    ns: picked.ns,
    key: picked.key,
    sections: result.record.sections,
    parameters: { ...picked.parameters },
    output: picked.output,
    transcript: picked.composition.transcript,
    origin: { kind: 'composed', composition: result.record, parent: prompt },
  };
}

function compositionOf(
  input: PrepareDelegationInput,
  checked: CheckedDelegation,
  picked: RenderedPrompt,
): CompositionInput {
  const { parameters, parentRecord, step, tools, mayDelegateFurther, delegationId } = checked;
  const { ns, key, sections, parameters: bound } = parentRecord;
  const revoked = mayDelegateFurther ? [] : tools.map(({ name }) => name).filter((name) => isDispatchTool(name));
  return subagentComposition(
    {
      parameters,
      parent: { agentId: input.parent.agentId, ns, key, sections, bound },
      tools,
      revoked,
      planStep: step,
      snapshotSummary: input.snapshotSummary,
      at: input.at,
      mayDelegateFurther,
      delegationId,
    },
    picked,
  );
}

async function render(
  store: RunStore,
  { parent }: PrepareDelegationInput,
  checked: CheckedDelegation,
): Promise<RenderedPrompt> {
  const definitions = await getJson(
    store,
    parent.opened.prompts,
    promptDefinitionSchema.array(),
    'prompts that can be dispatched',
  );
  return renderPicked(createRegistry(definitions), checked.parameters, checked.parentRecord.parameters, sha256);
}
