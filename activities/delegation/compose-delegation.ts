import { log } from '@temporalio/activity';
import type { DispatchSubagentParameters } from '../../domain/delegation';
import {
  applyControls,
  type AgentEnvironment,
  buildSubagentComposition,
  type ControlsInForce,
  type PrepareDelegationInput,
  renderDispatchedPrompt,
} from '../../domain/delegation/prepare';
import {
  composePromptFromBytes,
  type CompositionInput,
  PromptError,
  type PromptRecord,
  type RenderedPrompt,
} from '../../domain/prompt';
import type { BlobRef } from '../../domain/store';
import { isDispatchTool, listedTools, type ToolDescription } from '../../domain/tool';
import { sha256 } from '../../store/blobs';
import { refOfComposed } from '../../store/prompts';
import { logComposed } from './check-dispatch';
import type { DelegatingAgent } from './delegating-agent';

/** A delegation whose call has been checked. */
export interface CheckedDelegation {
  readonly delegationId: string;
  readonly parent: DelegatingAgent;
  readonly parameters: DispatchSubagentParameters;
  readonly step: { readonly id: string; readonly title: string } | undefined;
  readonly mayDelegateFurther: boolean;
  readonly inForce: ControlsInForce;
  /** Tools of MCP servers that the dispatched prompt grants. */
  readonly granted: readonly ToolDescription[];
  readonly environment: AgentEnvironment;
}

/** Composes the child's prompt and returns its record, from which the prompt can be reassembled. */
export function composeDelegation(input: PrepareDelegationInput, checked: CheckedDelegation): PromptRecord {
  const { registry, record, prompt: bytes } = checked.parent;
  const picked = renderDispatchedPrompt(registry, checked.parameters, record.parameters, sha256);
  const parent = { prompt: record.prompt, bytes };
  const composition = compositionOf(input, checked, picked);
  const { delegation } = registry.get(picked.ns, picked.key);
  const withheld = delegation?.parentPrompt === 'withheld' ? { redactions: [wholePrompt(picked)] } : {};
  return composeFromParent(parent, { ...composition, ...withheld }, picked, checked.inForce);
}

function wholePrompt({ ns, key }: RenderedPrompt): NonNullable<CompositionInput['redactions']>[number] {
  return { path: [], reason: `an agent with the prompt ${ns}/${key} sees only its task.` };
}

/** Composes a six-section prompt that embeds the parent's. Throws a refusal if it can't be composed. */
export function composeFromParent(
  { prompt, bytes }: { readonly prompt: BlobRef; readonly bytes: Uint8Array },
  uncontrolled: CompositionInput,
  picked: RenderedPrompt,
  inForce: ControlsInForce,
): PromptRecord {
  const { input, remarks } = applyControls(uncontrolled, inForce);
  const { delegationId } = input;
  if (remarks.length > 0) log.warn('Some controls of a delegation had nothing to apply to', { delegationId, remarks });
  const result = composePromptFromBytes({ bytes, hash: prompt.hash }, input, { sha256 });
  if (!result.ok) {
    const { field, reason, remediation, type } = result.error;
    throw new PromptError(type, field, reason, remediation);
  }
  logComposed(result.log, result.log.parentPromptKey);
  return {
    version: 1,
    prompt: refOfComposed(result),
    ns: picked.ns,
    key: picked.key,
    sections: result.record.sections,
    parameters: { ...picked.parameters },
    output: picked.output,
    transcript: picked.composition.transcript,
    ...withheldBelow(inForce, result.record.redactions),
    origin: { kind: 'composed', composition: result.record, parent: prompt },
  };
}

/** The sections that agents below can't see either. */
function withheldBelow(
  { withheldAbove }: ControlsInForce,
  redactions: readonly { readonly path: readonly string[] }[],
): Pick<PromptRecord, 'withheld'> {
  const withheld = [...withheldAbove, ...redactions.map(({ path }) => path)].map((path) => [...path]);
  return withheld.length === 0 ? {} : { withheld };
}

function compositionOf(
  input: PrepareDelegationInput,
  checked: CheckedDelegation,
  picked: RenderedPrompt,
): CompositionInput {
  const { parameters, parent, step, mayDelegateFurther, delegationId, environment, granted } = checked;
  const { ns, key, sections, parameters: bound } = parent.record;
  const tools = listedTools(parent.tools, environment.tools);
  const revoked = mayDelegateFurther ? [] : tools.map(({ name }) => name).filter((name) => isDispatchTool(name));
  return buildSubagentComposition(
    {
      parameters,
      parent: { agentId: input.parent.agentId, ns, key, sections, bound },
      tools,
      granted,
      revoked,
      planStep: step,
      snapshotSummary: `Snapshot version: ${input.snapshotVersion}\n${input.snapshotSummary}`,
      at: input.at,
      mayDelegateFurther,
      delegationId,
      environment,
    },
    picked,
  );
}
