import { type Command, InvalidArgumentError } from 'commander';
import { readApprovalFile } from '../../definitions/tool/read-approvals';
import type { AgentSettings } from '../../domain/agent';
import { InvalidInputError } from '../../domain/kernel';
import { formatDiagnostic } from '../../domain/skill';
import type { ApprovalRule } from '../../domain/tool';
import { parseRules } from '../../domain/tool/approval';

/** Options about approvals and questions, of commands that start a run. */
export interface ApprovalOptions {
  readonly approve?: readonly string[];
  readonly ask?: boolean;
}

/** Adds the options about approvals and questions. */
export function addApprovalOptions(command: Command): Command {
  return command
    .option(
      '--approve <rule>',
      'calls that an operator has to approve: tool, tool:regex or @file.yaml (docs/approvals.md); repeatable',
      collectRules,
    )
    .option('--ask', 'agents may ask you questions with ask_operator (baton answer)');
}

function collectRules(rule: string, rules: readonly string[] = []): readonly string[] {
  if (!/^(@.+|[a-zA-Z0-9_*-]{1,64}(:[^]+)?)$/.test(rule))
    throw new InvalidArgumentError("Must be a tool, tool:regex or @file, such as 'run_command:^git push'.");
  return [...rules, rule];
}

/** Builds the settings about approvals and questions from options. Throws an `InvalidInputError` for an invalid rule. */
export async function approvalSettings({
  approve = [],
  ask,
}: ApprovalOptions): Promise<Pick<AgentSettings, 'approve' | 'ask'>> {
  const rules = (await Promise.all(approve.map(rulesFrom))).flat();
  return {
    ...(rules.length === 0 ? {} : { approve: [...parseRules(rules, '--approve')] }),
    ...(ask === true ? { ask } : {}),
  };
}

async function rulesFrom(option: string): Promise<readonly ApprovalRule[]> {
  if (option.startsWith('@')) return rulesIn(option.slice(1));
  const at = option.indexOf(':');
  return at === -1 ? [{ tool: option }] : [{ tool: option.slice(0, at), when: option.slice(at + 1) }];
}

async function rulesIn(path: string): Promise<readonly ApprovalRule[]> {
  const read = await readApprovalFile(path);
  if ('rules' in read) return read.rules;
  throw new InvalidInputError(
    '--approve',
    read.errors.map(formatDiagnostic).join('; '),
    'Correct the file; its format is described in docs/approvals.md.',
  );
}
