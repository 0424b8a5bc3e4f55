import { defaultTaskQueue } from '../../temporal-config/names';
import { messageContracts, workflowContracts } from '../../workflows/contracts';
import * as defined from '../../workflows/messages';
import { fieldsOf } from './schema-fields';
import { readSource, requireSame, table } from './source';

export function messagesPage(): string {
  requireSame(
    'messages',
    messageContracts.map(({ name }): string => name),
    Object.values(defined).map(({ name }) => name),
  );
  const exported = readSource('workflows/index.ts').match(/\b\w+Workflow\b/g) ?? [];
  requireSame(
    'workflows',
    workflowContracts.map(({ name }): string => name),
    [...new Set(exported)],
  );
  return [
    '# Workflows and messages',
    `The wire names that a program needs to work with runs through its own Temporal client. The task queue is \`${defaultTaskQueue}\`, or the value of \`BATON_TASK_QUEUE\`.`,
    '## Workflow types',
    table(
      ['type', 'workflow id', 'meaning', 'result'],
      workflowContracts.map(({ name, workflowId, description, result }) => [
        `\`${name}\``,
        `\`${workflowId}\``,
        description,
        fieldsOf(result),
      ]),
    ),
    'An input that does not match its contract fails the workflow at once with `Input.Invalid`; the message names the field.',
    '## Messages',
    "What does not match is rejected with `Input.Invalid` (Updates), fails (Queries), or is ignored with a warning in the worker's log (Signals). Payloads must be JSON; `null` counts as nothing, and further arguments are ignored. Inputs of runs and relays, `operatorDecision`, `pause`, `resume` and `steer` must not have unknown fields; elsewhere unknown fields are ignored ([note](../decisions/workflow-boundary.md)).",
    table(
      ['name', 'kind', 'meaning', 'argument', 'result'],
      messageContracts.map(({ name, kind, description, input, result }) => [
        `\`${name}\``,
        kind,
        description,
        fieldsOf(input),
        fieldsOf(result),
      ]),
    ),
  ].join('\n\n');
}
