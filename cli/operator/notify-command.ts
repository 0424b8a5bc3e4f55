import { spawn } from 'node:child_process';
import { oneLine } from '../../client/format';
import type { OpenIncident } from '../../client/operator/decide';
import { announcementOf } from '../../domain/operator';

/** Longest time that the command may take, in milliseconds. */
const patienceMs = 30_000;

/**
 * Runs a command of the user's shell for a new incident. The incident is JSON on its standard input, and in variables
 * whose names begin with `BATON_`. Returns what went wrong, in one line; undefined if nothing did.
 */
export function runNotifyCommand(command: string, open: OpenIncident): Promise<string | undefined> {
  const announcement = announcementOf(open.workflowId, open.incident);
  return new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      stdio: ['pipe', 'ignore', 'pipe'],
      env: { ...process.env, ...variablesOf(announcement) },
      timeout: patienceMs,
    });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-500)));
    child.on('error', (error) => {
      resolve(error.message);
    });
    child.on('close', (code, signal) => {
      if (code === 0) resolve(undefined);
      else
        resolve(`it ended with ${signal ?? `exit code ${code ?? '?'}`}${errors === '' ? '' : `: ${oneLine(errors)}`}`);
    });
    // A command that does not read its input closes it early.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${JSON.stringify(announcement)}\n`);
  });
}

function variablesOf({ run, agent, incident, commands }: ReturnType<typeof announcementOf>): Record<string, string> {
  const { id, kind, type, message, since } = incident;
  const values = {
    BATON_RUN: run,
    BATON_AGENT: agent,
    BATON_INCIDENT: id,
    BATON_KIND: kind,
    BATON_TYPE: type,
    BATON_MESSAGE: message,
    BATON_SINCE: since,
    BATON_COMMAND: commands[0] ?? '',
  };
  // Variables can't contain a NUL, and a process with one would not start.
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.replaceAll('\0', '')]));
}
