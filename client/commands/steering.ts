import { Command } from 'commander';
import { pauseUpdate, resumeUpdate, steerUpdate } from '../../workflows/messages';
import { targetOf } from '../agents/agent-id';
import { withConnection, type CliContext } from '../context';
import { withWords, wordsOf, type WordsOptions } from '../operate/decision-options';
import { findAgent } from '../operate/find-agent';
import { sendUpdate } from '../operate/send-update';

interface SteeringOptions extends WordsOptions {
  readonly delegation?: string;
}

export function pauseCommand(context: CliContext): Command {
  return pausing(context, 'pause', 'stop an agent and everything below it before the next model call');
}

export function resumeCommand(context: CliContext): Command {
  return pausing(context, 'resume', 'let a paused agent and everything below it go on');
}

function pausing(context: CliContext, name: 'pause' | 'resume', description: string): Command {
  const update = name === 'pause' ? pauseUpdate : resumeUpdate;
  return withDelegation(new Command(name).description(description))
    .addHelpText(
      'after',
      `\nExamples:\n  $ baton ${name} 20261116-031522-k3f9q1\n  $ baton ${name} 20261116-031522-k3f9q1 --delegation 4f7s9k2m\n`,
    )
    .action((target: string, { delegation, ...words }: SteeringOptions) =>
      withConnection(context, async ({ client }) => {
        const { workflowId } = await findAgent(client, target, delegation);
        const { state } = await sendUpdate(client, workflowId, update, wordsOf(words));
        context.terminal.print(`${targetOf(workflowId)}: ${state}`);
      }),
    );
}

export function steerCommand(context: CliContext): Command {
  return withDelegation(new Command('steer').description('tell an agent something with its next turn'))
    .argument('<text>', 'what the model is told')
    .addHelpText('after', '\nExamples:\n  $ baton steer 20261116-031522-k3f9q1 "Only the files under src/ matter."\n')
    .action((target: string, text: string, { delegation, ...words }: SteeringOptions) =>
      withConnection(context, async ({ client }) => {
        const { workflowId } = await findAgent(client, target, delegation);
        const { state } = await sendUpdate(client, workflowId, steerUpdate, { ...wordsOf(words), text });
        context.terminal.print(`${targetOf(workflowId)}: ${state}`);
      }),
    );
}

function withDelegation(command: Command): Command {
  return withWords(command).option('--delegation <id>', 'a delegation of the run; its first letters are enough');
}
