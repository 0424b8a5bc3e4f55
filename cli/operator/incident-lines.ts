import { formatMoment, oneLine, type TimeStyle } from '../../client/format';
import { commandsFor, detailsCommand, type OpenIncident } from '../../client/operator/decide';
import { agentLabel, displayId } from '../../domain/kernel';
import type { Line } from '../screen/style';
import { wrapWords } from '../screen/width';

const indent = '    ';

/**
 * Formats an open incident: who waits, for what, since when, and the commands that answer it. With `columns`, long texts
 * are broken between words.
 */
export function incidentLines(open: OpenIncident, times: TimeStyle, columns = Infinity): readonly Line[] {
  const { message, options = [], until } = open.incident;
  const details = detailsCommand(open);
  const choice = options.map((option, index) => `[${index + 1}] ${option}`).join(' ');
  const texts = [
    oneLine(message, 400),
    ...(choice === '' ? [] : [oneLine(choice, 400)]),
    ...(until === undefined ? [] : [`Without a decision, it continues at ${formatMoment(Date.parse(until), times)}.`]),
  ];
  return [
    incidentHeadline(open, times),
    ...texts.flatMap((text) => wrapWords(text, columns - indent.length)).map((text): Line => [indent, text]),
    ...commandsFor(open).map((command): Line => [indent, { text: command, style: 'strong' }]),
    ...(details === undefined ? [] : [[indent, `All of it: ${details}`]]),
  ];
}

/** Formats who waits, for what and since when, in one line. */
export function incidentHeadline({ workflowId, incident }: OpenIncident, times: TimeStyle): Line {
  const { id, type, step, attempt, since } = incident;
  const tries = attempt > 1 ? `, attempt ${attempt}` : '';
  const who = agentLabel(workflowId) === 'root' ? displayId(workflowId) : agentLabel(workflowId);
  return [
    { text: `! ${who} needs you`, style: 'attention' },
    ` since ${formatMoment(Date.parse(since), times)}: ${id} ${type} (${step}${tries})`,
  ];
}
