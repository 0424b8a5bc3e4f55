import { log } from '@temporalio/activity';
import { DispatchRefusedError, type DispatchSubagentParameters } from '../../domain/delegation';
import {
  buildSubagentComposition,
  type PrepareDelegationInput,
  renderDispatchedPrompt,
} from '../../domain/delegation/prepare';
import {
  composePromptFromBytes,
  type CompositionInput,
  type PromptRecord,
  type RenderedPrompt,
} from '../../domain/prompt';
import type { BlobRef } from '../../domain/store';
import { isDispatchTool } from '../../domain/tool';
import { sha256 } from '../../store/blobs';
import { refOfComposed } from '../../store/prompts';
import type { DelegatingAgent } from './delegating-agent';

/** A delegation whose call has been checked. */
export interface CheckedDelegation {
  readonly delegationId: string;
  readonly parent: DelegatingAgent;
  readonly parameters: DispatchSubagentParameters;
  readonly step: { readonly id: string; readonly title: string } | undefined;
  readonly mayDelegateFurther: boolean;
}

/** Composes the child's prompt and returns its record, from which the prompt can be reassembled. */
export function composeDelegation(input: PrepareDelegationInput, checked: CheckedDelegation): PromptRecord {
  const { registry, record, prompt: bytes } = checked.parent;
  const picked = renderDispatchedPrompt(registry, checked.parameters, record.parameters, sha256);
  const parent = { prompt: input.parent.opened.prompt, bytes };
  return composeFromParent(parent, compositionOf(input, checked, picked), picked);
}

/** Composes a six-section prompt that embeds the parent's. Throws a refusal if it can't be composed. */
export function composeFromParent(
  { prompt, bytes }: { readonly prompt: BlobRef; readonly bytes: Uint8Array },
  input: CompositionInput,
  picked: RenderedPrompt,
): PromptRecord {
  const result = composePromptFromBytes({ bytes, hash: prompt.hash }, input, { sha256 });
  if (!result.ok) {
    log.warn('Could not compose a prompt', { ...result.log });
    const { field, reason, remediation, type } = result.error;
    throw new DispatchRefusedError(field, reason, remediation, type);
  }
  log.info('Composed a prompt', { ...result.log });
  return {
    version: 1,
    prompt: refOfComposed(result),
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
  const { parameters, parent, step, mayDelegateFurther, delegationId } = checked;
  const { ns, key, sections, parameters: bound } = parent.record;
  const { tools } = parent;
  const revoked = mayDelegateFurther ? [] : tools.map(({ name }) => name).filter((name) => isDispatchTool(name));
  return buildSubagentComposition(
    {
      parameters,
      parent: { agentId: input.parent.agentId, ns, key, sections, bound },
      tools,
      revoked,
      planStep: step,
      snapshotSummary: `Snapshot version: ${input.snapshotVersion}\n${input.snapshotSummary}`,
      at: input.at,
      mayDelegateFurther,
      delegationId,
    },
    picked,
  );
}
