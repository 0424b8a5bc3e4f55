import type { AgentSettings } from '../../domain/agent';
import { runCommandName } from '../../domain/command';
import { InvalidInputError } from '../../domain/kernel';
import { isMcpToolName } from '../../domain/mcp';
import {
  type ApprovalRule,
  askOperatorDescription,
  isAbout,
  type PinnedAccess,
  type ToolDescription,
  withApprovals,
} from '../../domain/tool';
import { requireSoundRules } from '../../domain/tool/approval';
import type { SharedDependencies } from '../dependencies';

/** Adds `ask_operator` to the tools of a root whose run allows questions. */
export function withQuestions(
  tools: readonly ToolDescription[],
  { ask }: Pick<AgentSettings, 'ask'>,
): readonly ToolDescription[] {
  return ask === true ? [...tools, askOperatorDescription()] : tools;
}

/** Adds the approval rules of the worker and of the run, which apply to every agent of the run. */
export function withRules(
  access: PinnedAccess | undefined,
  { approve: ofWorker }: Pick<SharedDependencies, 'approve'>,
  { approve: ofRun }: Pick<AgentSettings, 'approve'>,
  tools: readonly ToolDescription[],
): PinnedAccess | undefined {
  requireSoundRules(ofRun);
  requireKnownTools(ofRun, tools);
  return withApprovals(withApprovals(access, ofWorker), ofRun);
}

/** Prompts and skills can grant these tools to agents below the root, so a rule may name one that the root lacks. */
function mayBeGranted(tool: string): boolean {
  return isMcpToolName(tool) || tool === runCommandName;
}

/** Rejects a rule about no tool of the run: a typing error would leave the tool that was meant without it. */
function requireKnownTools(rules: readonly ApprovalRule[] = [], tools: readonly ToolDescription[]): void {
  rules.forEach((rule, index) => {
    if (mayBeGranted(rule.tool) || tools.some(({ name }) => isAbout(rule, name))) return;
    const known = tools.map(({ name }) => name).join(', ');
    throw new InvalidInputError(
      `approve[${index}].tool`,
      `the root agent of this run has no tool "${rule.tool}"`,
      `Use one of: ${known}.`,
    );
  });
}
