import type { AgentSettings } from '../../agent';
import { type Allowance, isUnlimited } from '../../budget';
import { formatUsd } from '../../model';
import type { CompositionInput } from '../../prompt';
import {
  findToolName,
  isBuiltInTool,
  isDispatchTool,
  maxToolCallsPerReply,
  requestToolName,
  type ToolDescription,
} from '../../tool';
import type { SettingsOverrides } from '..';

/** Number and total size of the files that an agent sees. */
interface WorkspaceSize {
  readonly files: number;
  readonly bytes: number;
  /** Files that are listed although their content was not imported. */
  readonly unread: number;
}

/** What is certain about an agent before it starts, when its prompt is composed. */
export interface AgentEnvironment {
  /** Workflow time of the composition, in ISO 8601. */
  readonly at: string;
  /** Settings of the parent, which the agent inherits. */
  readonly settings: Pick<AgentSettings, 'limits' | 'deadline'>;
  /** Settings in which it differs from its parent. */
  readonly own?: SettingsOverrides | undefined;
  /** Milliseconds until the parent's deadline. */
  readonly millisecondsLeft?: number | undefined;
  /** Number of levels below the root agent. */
  readonly depth: number;
  /** The tools that are sent to its model. */
  readonly tools: readonly ToolDescription[];
  /** Number of its other tools, whose descriptions are deferred. */
  readonly deferred: number;
  /** The agent's copy of the files; null when the run has none. */
  readonly workspace: WorkspaceSize | null;
  /** What the parent and everything below it had not spent; undefined when it is not known. */
  readonly unspent?: Allowance | undefined;
}

type Environment = NonNullable<NonNullable<CompositionInput['tooling']>['environment']>;

/**
 * Describes the environment of an agent for its prompt. The agent may start later, so only what holds until then is
 * stated: upper bounds, and sizes with their time.
 */
export function describeEnvironment(facts: AgentEnvironment): Environment {
  const { workspace, tools, deferred } = facts;
  return {
    ...(workspace === null ? {} : { workingDirectory: '.' }),
    workspace: workspaceLine(workspace, facts.at),
    network: networkLine(tools, deferred),
    rateLimits: limitLines(facts),
    ...(facts.unspent === undefined ? {} : { budget: budgetLine(facts.unspent, facts.own?.budgetTokens) }),
  };
}

function workspaceLine(size: WorkspaceSize | null, at: string): string {
  if (size === null) return 'none: this run has no files.';
  const { files, bytes, unread } = size;
  const rest = unread === 0 ? '' : ` ${count(unread, 'more file')} too large or not readable: listed, without content.`;
  return (
    `your own copy of the files of the parent: ${count(files, 'file')}, ${count(bytes, 'byte')} at ${at}.${rest} ` +
    "Paths are relative to its root. Your changes do not reach the parent's files."
  );
}

/** Tools that a worker adds may do anything, so nothing is claimed about them. */
function networkLine(tools: readonly ToolDescription[], deferred: number): string {
  const ownNames: readonly string[] = [requestToolName, findToolName];
  const added = tools.filter(({ name }) => !isBuiltInTool(name) && !isDispatchTool(name) && !ownNames.includes(name));
  if (added.length + deferred === 0) return 'none: no tool of this agent reaches a network.';
  const names = [
    ...added.map(({ name }) => `\`${name}\``),
    ...(deferred === 0 ? [] : [count(deferred, 'deferred tool')]),
  ].join(', ');
  return `none through the built-in tools. What ${names} can reach is in the description of the tool.`;
}

function limitLines({ settings, own, depth, tools }: AgentEnvironment): string[] {
  const { maxTurns, maxDepth, maxChildren, maxParallel } = own?.limits ?? settings.limits;
  const levels = maxDepth - depth;
  const mayDelegate = levels > 0 && tools.some(({ name }) => isDispatchTool(name));
  return [
    `${count(maxTurns, 'model call')} at most, unless an operator allows more.`,
    `${count(maxToolCallsPerReply, 'tool call')} at most in one reply.`,
    mayDelegate
      ? `${count(maxChildren, 'delegation')} at most, ${maxParallel} of them at the same time, on ${count(levels, 'level')} below this agent.`
      : 'No delegations.',
    'No limit of calls per minute.',
  ];
}

/** A share is reserved when an agent starts, which is after its prompt was composed. */
function budgetLine(unspent: Allowance, cap: number | undefined): string {
  const scope = 'for this agent and all agents below it together';
  if (isUnlimited(unspent)) return cap === undefined ? 'not limited.' : `${count(cap, 'token')} ${scope}.`;
  const { microUsd, turns } = unspent;
  const tokens = Math.min(cap ?? Infinity, unspent.tokens ?? Infinity);
  const amounts = [
    ...(Number.isFinite(tokens) ? [count(tokens, 'token')] : []),
    ...(microUsd === undefined ? [] : [formatUsd(microUsd, 'exact')]),
    ...(turns === undefined ? [] : [count(turns, 'model call')]),
  ];
  return (
    `at most ${amounts.join(', ')}, ${scope}, unless an operator raises the budget. ` +
    'The share is reserved when this agent starts and may be smaller.'
  );
}

/**
 * Describes the deadline of an agent: that of its parent, or the time that its skill allows, which begins when it starts,
 * whichever is earlier.
 */
export function describeDeadline({ at, settings, own, millisecondsLeft }: AgentEnvironment): string {
  const seconds = own?.deadlineSeconds;
  const afterStart = seconds === undefined ? undefined : `${duration(seconds)} after this agent starts`;
  if (settings.deadline === undefined) return afterStart ?? 'none';
  const left = millisecondsLeft === undefined ? undefined : Math.max(0, millisecondsLeft);
  const latest =
    left === undefined ? settings.deadline : `${settings.deadline} (${duration(left / 1_000)} left at ${at})`;
  const isEarlier = seconds !== undefined && (left === undefined || seconds * 1_000 < left);
  return afterStart !== undefined && isEarlier ? `${afterStart}, but no later than ${latest}` : latest;
}

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

function duration(seconds: number): string {
  let rest = Math.floor(seconds);
  const parts = units.flatMap(([size, name]) => {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    return amount === 0 ? [] : [count(amount, name)];
  });
  return parts.length === 0 ? '0 seconds' : parts.join(' ');
}

function count(amount: number, name: string): string {
  const grouped = String(amount).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${grouped} ${name}${amount === 1 ? '' : 's'}`;
}
