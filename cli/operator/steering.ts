import { Command } from 'commander';
import { pauseUpdate, resumeUpdate, steerUpdate } from '../../workflows/messages';
import { displayId } from '../../domain/kernel/agent-id';
import { withConnection, type CliContext } from '../context-merging';
import { withNoteOptions, noteFrom, type NoteOptions } from './decision-options';
import { findAgent } from '../../client/agent/find-agent';
import { sendUpdate } from '../../client/operator/send-update';

interface SteeringOptions extends NoteOptions {
  readonly delegation?: string;
}

/** `baton pause`: pauses an agent. */
export function pauseCommand(context: CliContext): Command {
  return pausing(context, 'pause', 'pause an agent and everything below it before the next model call');
}

/** `baton resume`: resumes a paused agent. */
export function resumeCommand(context: CliContext): Command {
  return pausing(context, 'resume', 'resume a paused agent and everything below it');
}

function pausing(context: CliContext, name: 'pause' | 'resume', description: string): Command {
  const update = name === 'pause' ? pauseUpdate : resumeUpdate;
  return withDelegation(new Command(name).description(description))
    .addHelpText(
      'after',
      `\nExamples:\n  $ baton ${name} 20261116-031522-k3f9q1\n  $ baton ${name} 20261116-031522-k3f9q1 --delegation 4f7s9k2m\n`,
    )
    .action((target: string, { delegation, ...note }: SteeringOptions) =>
      withConnection(context, async ({ client }) => {
        const { workflowId } = await findAgent(client, target, delegation);
        const { state } = await sendUpdate(client, workflowId, update, noteFrom(note));
        context.terminal.print(`${displayId(workflowId)}: ${state}`);
      }),
    );
}

/** `baton steer`: sends a steering message. */
export function steerCommand(context: CliContext): Command {
  return withDelegation(new Command('steer').description('send a message to an agent with its next turn'))
    .argument('<text>', 'message to the model')
    .addHelpText('after', '\nExamples:\n  $ baton steer 20261116-031522-k3f9q1 "Only the files under src/ matter."\n')
    .action((target: string, text: string, { delegation, ...note }: SteeringOptions) =>
      withConnection(context, async ({ client }) => {
        const { workflowId } = await findAgent(client, target, delegation);
        const { state } = await sendUpdate(client, workflowId, steerUpdate, { ...noteFrom(note), text });
        context.terminal.print(`${displayId(workflowId)}: ${state}`);
      }),
    );
}

function withDelegation(command: Command): Command {
  return withNoteOptions(command).option('--delegation <id>', 'delegation id, or its first letters');
}
