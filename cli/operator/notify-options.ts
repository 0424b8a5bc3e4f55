import type { Command } from 'commander';
import type { AgentSettings } from '../../domain/agent';
import { CliError, exitCodes } from '../context';

/** Option of every command that can follow a run. */
export interface NotifyOption {
  readonly notify?: string | undefined;
}

/** Options about announcements, of commands that start a run. */
export interface AnnouncementOptions extends NotifyOption {
  readonly notifyUrl?: string;
}

/** Adds the option of a command that can follow a run. */
export function addNotifyOption(command: Command): Command {
  return command.option(
    '--notify <command>',
    'with --follow: command to run once for each new incident, with the incident as JSON on its standard input',
  );
}

/** Adds the options of a command that starts a run. */
export function addAnnouncementOptions(command: Command): Command {
  return addNotifyOption(command).option(
    '--notify-url <url>',
    'address to which the worker posts each new incident; or BATON_NOTIFY_…, a variable of the worker with the address',
  );
}

/** Builds the setting of a run from the option. */
export function announcementSettings({ notifyUrl }: AnnouncementOptions): Pick<AgentSettings, 'notify'> {
  if (notifyUrl === undefined) return {};
  return { notify: /^BATON_[A-Z0-9_]*$/.test(notifyUrl) ? { env: notifyUrl } : { url: notifyUrl } };
}

/** Rejects a command that would never run. */
export function checkNotify({ notify, follow }: NotifyOption & { readonly follow?: boolean | undefined }): void {
  if (notify === undefined || follow === true) return;
  throw new CliError(exitCodes.misused, '--notify works only with --follow.', 'Add --follow, or use --notify-url.');
}
