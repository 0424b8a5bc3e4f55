import type { AgentRow } from '../../client/view/run-view';

/** Agents that failed alike. */
export interface FailureGroup {
  readonly type: string;
  /** Message of the first, without its numbers. */
  readonly message: string;
  readonly paths: readonly string[];
}

/** Groups failed agents by type, then by message without its numbers; the largest first. */
export function groupFailures(rows: readonly AgentRow[]): FailureGroup[] {
  const groups = new Map<string, { type: string; message: string; paths: string[] }>();
  for (const { path, state, failure, detail } of rows) {
    const type = state === 'failed' ? (failure?.type ?? detail) || state : 'failed below';
    const message = withoutNumbers(failure?.message ?? '');
    const group = groups.get(`${type}\n${message}`) ?? { type, message, paths: [] };
    group.paths.push(path);
    groups.set(`${type}\n${message}`, group);
  }
  return [...groups.values()].sort((a, b) => b.paths.length - a.paths.length);
}

/** Number of failures by type, the largest first. */
export function countTypes(groups: readonly FailureGroup[]): { readonly type: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { type, paths } of groups) counts.set(type, (counts.get(type) ?? 0) + paths.length);
  return [...counts].map(([type, count]) => ({ type, count })).sort((a, b) => b.count - a.count);
}

function withoutNumbers(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/\d+(\.\d+)?/g, '#').slice(0, 200);
}
