import { log } from '@temporalio/activity';
import { isDispatchTool } from '../domain/dispatch/tools';
import type { PreparedDelegation, ReadyDelegation } from '../domain/dispatch/prepared';
import { refusal } from '../domain/dispatch/refusal';
import { canonicalJson } from '../domain/json';
import { delegationId } from '../domain/prompt';
import type { RunStore } from '../domain/store/store';
import { readSpilled } from '../store/spill';
import { checkDispatch, stepOf } from './check-dispatch';
import { composeDelegation } from './compose-delegation';
import type { DelegatingAgent } from './delegating-agent';
import { storeAt, type SharedDependencies } from './dependencies';
import type { PrepareDelegationInput } from './interface';
import { openAgent } from './open-agent';
import { takeSnapshot } from './snapshots';

/** Checks a call of `dispatch_subagent` and composes the child's prompt. Nothing is started here, and a refusal is a value. */
export async function prepareDelegation(
  dependencies: SharedDependencies,
  input: PrepareDelegationInput,
): Promise<PreparedDelegation> {
  const store = storeAt(dependencies.store, input);
  const { opened } = input.parent;
  const payload: unknown = JSON.parse(
    await readSpilled(store, input.call.input, `input of tool call ${input.call.id}`),
  );
  const parent = await dependencies.delegatingAgents.load(store, opened);
  // Before anything is checked, so that a refusal has an id too.
  const id = delegationId({
    parentPrompt: opened.prompt.hash,
    payload,
    tooling: parent.tools.map((tool) => ({ name: tool.name, id: tool.id })),
    position: { parentDelegationId: input.parent.delegationId, runId: input.runId, ordinal: input.ordinal },
  });
  const key = `delegation/${id}`;
  const earlier = await store.find(key);
  // After a reset of the parent the same delegation must be the same child, to the byte.
  if (earlier !== undefined) return JSON.parse(Buffer.from(earlier).toString('utf8')) as ReadyDelegation;
  try {
    const ready = await prepare(dependencies, store, input, { id, payload, parent });
    return JSON.parse(
      Buffer.from(await store.putIfAbsent(key, Buffer.from(canonicalJson(ready)))).toString('utf8'),
    ) as ReadyDelegation;
  } catch (error) {
    const refused = refusal(error, id);
    if (refused === undefined) throw error;
    log.warn('A delegation was refused', { delegationId: id, type: refused.type, reason: refused.message });
    return refused;
  }
}

interface Asked {
  readonly id: string;
  readonly payload: unknown;
  readonly parent: DelegatingAgent;
}

async function prepare(
  dependencies: SharedDependencies,
  store: RunStore,
  input: PrepareDelegationInput,
  asked: Asked,
): Promise<ReadyDelegation> {
  const parameters = checkDispatch(asked.payload, input);
  const { opened: parent, depth } = input.parent;
  const { tools } = asked.parent;
  const step = stepOf(parameters, await takeSnapshot(store, input.snapshot));
  const mayDelegateFurther = depth + 1 < input.settings.limits.maxDepth;
  const record = await composeDelegation(store, input, {
    delegationId: asked.id,
    parent: asked.parent,
    parameters,
    step,
    mayDelegateFurther,
  });
  const opened = await openAgent({
    runStore: store,
    storeId: input.storeId,
    transcriptCache: dependencies.transcriptCache,
    searchAttributes: parent.searchAttributes,
    record,
    tools: mayDelegateFurther ? tools : tools.filter(({ name }) => !isDispatchTool(name)),
    toolList: mayDelegateFurther ? parent.toolList : undefined,
    prompts: parent.prompts,
    model: input.settings.model,
  });
  return {
    ok: true,
    delegationId: asked.id,
    opened,
    promptNs: parameters.prompt_ns,
    promptKey: parameters.prompt_key,
    planStepId: step?.id ?? null,
    expectedArtifacts: parameters.expected_artifacts ?? [],
    headline: parameters.instructions.split('\n', 1)[0]?.slice(0, 100) ?? '',
  };
}
