import { TypedSearchAttributes } from '@temporalio/common';
import { type ChildWorkflowOptions, upsertSearchAttributes } from '@temporalio/workflow';
import type { OpenedAgent } from '../../domain/agent';
import { searchAttributes } from '../../temporal-config/search-attributes';
import type { Agent } from './agent';

// All agents of a run set their search attributes here. `OpenedAgent.searchAttributes` tells whether the namespace has
// them, because an unknown one would fail the workflow.

/**
 * Value of the status attribute: set only while the agent waits for a person. The server itself indexes whether an
 * execution is running and how it ended. Repeating that at the end of every delegation would add a sixth to the
 * duration of a batch of short ones.
 */
export type IndexedStatus = 'paused' | 'needs_operator' | undefined;

/** Sets the status attribute. */
export function indexStatus(status: IndexedStatus): void {
  upsertSearchAttributes([{ key: searchAttributes.status, value: status ?? null }]);
}

/** Sets the attributes of a root, once it is opened: a client starts it before its prompt exists. */
export function indexRoot(runId: string, opened: OpenedAgent): void {
  if (!opened.searchAttributes) return;
  upsertSearchAttributes([
    { key: searchAttributes.run, value: runId },
    { key: searchAttributes.depth, value: 0 },
    { key: searchAttributes.prompt, value: opened.prompt.hash },
    ...skillOf(opened),
  ]);
}

/** Returns the attributes with which an agent starts a delegation. */
export function attributesOfChild(
  { settings, depth, progress }: Agent,
  { delegationId, opened }: { readonly delegationId: string; readonly opened: OpenedAgent },
): Pick<ChildWorkflowOptions, 'typedSearchAttributes'> {
  if (!progress.opened.searchAttributes) return {};
  return {
    typedSearchAttributes: new TypedSearchAttributes([
      { key: searchAttributes.run, value: settings.runId },
      { key: searchAttributes.delegation, value: delegationId },
      { key: searchAttributes.depth, value: depth + 1 },
      ...skillOf(opened),
    ]),
  };
}

function skillOf({ skill }: OpenedAgent): { readonly key: typeof searchAttributes.skill; readonly value: string }[] {
  return skill === undefined ? [] : [{ key: searchAttributes.skill, value: skill }];
}
