import type { Client } from '@temporalio/client';
import { commandsFor, incidentsOf } from '../../client/operator/decide';
import { BatonError } from '../../client/client-errors';
import { displayId, owningRunId, parseStrictJson, visibleText } from '../../domain/kernel';
import type { Incident } from '../../domain/operator';
import { readSpilled } from '../../store/blobs';
import { type CliContext, CliError, exitCodes } from '../context';
import { columns } from '../screen/table';

/** Prints everything about one incident: all arguments of a call, the options of a question, and how to answer. */
export async function showIncident(
  context: CliContext,
  client: Client,
  workflowId: string,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<void> {
  const open = await incidentsOf(client, workflowId);
  const incident = open.find((one) => one.id === id);
  if (incident === undefined) throw notOpen(workflowId, id, open);
  const commands = commandsFor({ workflowId, incident });
  const given = await argumentsOf(context, workflowId, incident);
  if (json) {
    const facts = given === undefined ? {} : { arguments: parseStrictJson(given) };
    context.terminal.printJson({ agent: displayId(workflowId), incident, ...facts, commands });
  } else {
    context.terminal.print(incidentText(workflowId, incident, given, commands));
  }
}

function notOpen(workflowId: string, id: string, open: readonly Incident[]): BatonError {
  const target = displayId(workflowId);
  const known = open.map((one) => one.id).join(', ');
  return new BatonError(
    'Client.NoIncident',
    `${target} has no open incident ${id}.`,
    known === '' ? `Check its status with: baton why ${target}` : `Open: ${known}.`,
  );
}

/** Reads all arguments of a call. Undefined if the incident is not about a call. */
async function argumentsOf(context: CliContext, workflowId: string, { call }: Incident): Promise<string | undefined> {
  if (call === undefined) return undefined;
  if ('text' in call.arguments) return call.arguments.text;
  const run = owningRunId(workflowId);
  try {
    const store = await context.openStore();
    return await readSpilled(store.forRun(run), call.arguments, `arguments of call ${call.id}`);
  } catch (error) {
    throw new CliError(
      exitCodes.unavailable,
      `The arguments (${call.arguments.ref.bytes} bytes) can't be read here: ${error instanceof Error ? error.message : String(error)}`,
      'Run the command with the store of the worker: see BATON_STORE.',
    );
  }
}

function incidentText(
  workflowId: string,
  incident: Incident,
  given: string | undefined,
  commands: readonly string[],
): string {
  const { id, type, message, since, until, call, options = [], freeText } = incident;
  const rows = [
    ['agent', displayId(workflowId)],
    ['incident', `${id}, ${type}`],
    ...(call === undefined ? [] : [['call', `${incident.tool ?? ''}, ${call.id}`]]),
    ['since', since],
    ...(until === undefined ? [] : [['until', until]]),
  ];
  return [
    columns(rows),
    '',
    visibleText(given === undefined ? message : indented(given)),
    ...options.map((option, index) => `  ${index + 1}. ${visibleText(option)}`),
    ...(freeText === true ? ['  or another answer'] : []),
    '',
    ...commands,
  ].join('\n');
}

function indented(json: string): string {
  return JSON.stringify(parseStrictJson(json), null, 2);
}
