import { agentLabel, displayId } from '../../domain/kernel/agent-id';
import { oneLine } from '../../client/words';
import { columns } from '../../client/format';
import type { Diagnosis } from '../../client/why/why';

/** Formats a diagnosis for a terminal: verdict, agent, reason, and what to do. */
export function whyText(why: Diagnosis): string {
  const { verdict, path, type, message, remedy, commands, remarks } = why;
  const leaf = path.at(-1) ?? '';
  const rows = [
    [verdict, path.map(agentLabel).join(' → ')],
    ['where', displayId(leaf)],
    ['why', oneLine(type === null || message.includes(`${type}: `) ? message : `${type}: ${message}`, 1_000)],
    ...(remedy === null || message.includes(remedy) ? [] : [['what to do', remedy]]),
    ...commands.map((command, index) => [index === 0 ? 'commands' : '', command]),
  ];
  return [columns(rows), ...remarks.map((remark) => oneLine(remark, 400))].join('\n');
}
