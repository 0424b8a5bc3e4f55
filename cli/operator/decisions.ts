import type { Client } from '@temporalio/client';
import { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { findAgent } from '../../client/agent/find-agent';
import { describeRun, outcomeOf } from '../../client/agent/outcome';
import { countWorkers } from '../../client/agent/workers';
import { sendUpdate } from '../../client/operator/send-update';
import { displayId, runWorkflowId } from '../../domain/kernel';
import { pauseUpdate, resumeUpdate, steerUpdate } from '../../workflows/messages';
import { type CliContext, CliError, exitCodes, withConnection } from '../context';
import {
  decisionHelp,
  type DecisionOptions,
  noteFrom,
  type NoteOptions,
  submitDecision,
  withDecision,
  withNoteOptions,
} from './decision-options';

/** `baton abort`: ends an agent that is waiting for an operator. */
export function abortCommand(context: CliContext): Command {
  const description = 'end an agent that is waiting for an operator; its failure is reported to its parent';
  return withDecision(new Command('abort').description(description))
    .addHelpText('after', decisionHelp('abort'))
    .action((target: string, options: DecisionOptions) =>
      submitDecision(context, target, options, { action: 'abort' }),
    );
}

/** `baton skip`: replaces the result of a failed step. */
export function skipCommand(context: CliContext): Command {
  return withDecision(new Command('skip').description('continue a run without the result of a failed step'))
    .requiredOption('--result <text>', 'text to use as the result (required)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton skip 20261116-031522-k3f9q1 --delegation 4f7s9k2m --result "Nothing is known about the license."\n',
    )
    .action((target: string, { result, ...options }: DecisionOptions & { result: string }) =>
      submitDecision(context, target, options, { action: 'skip', placeholder: result }),
    );
}

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
        const workflowId = await findRunning(client, target, delegation);
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
        const workflowId = await findRunning(client, target, delegation);
        const { state } = await sendUpdate(client, workflowId, steerUpdate, { ...noteFrom(note), text });
        context.terminal.print(`${displayId(workflowId)}: ${state}`);
      }),
    );
}

async function findRunning(client: Client, target: string, delegation: string | undefined): Promise<string> {
  const { workflowId, isRunning } = await findAgent(client, target, delegation);
  if (isRunning) return workflowId;
  const id = displayId(workflowId);
  const { status } = await client.workflow.getHandle(workflowId).describe();
  const how = status.name.toLowerCase().replace('_', ' ');
  throw new CliError(exitCodes.failed, `${id} has already ended (${how}).`, `See its result with: baton show ${id}`);
}

function withDelegation(command: Command): Command {
  return withNoteOptions(command).option('--delegation <id>', 'delegation id, or its first letters');
}

/** How long to wait for the end of a cancelled run: a worker needs time to stop its work. */
const waitMs = 20_000;
/** Like `waitMs`, if no worker is known. One may be starting. */
const shortWaitMs = 2_000;

/** `baton cancel`: cancels a run and waits until it has closed. */
export function cancelCommand(context: CliContext): Command {
  return new Command('cancel')
    .description('stop a run: its model call is aborted, and it closes as cancelled')
    .argument('<run>', 'id of the run, or <run>/<delegation> to stop only that')
    .addHelpText('after', '\nExamples:\n  $ baton cancel 20261116-031522-k3f9q1\n')
    .action((runId: string) =>
      withConnection(context, async ({ client }) => {
        const { status, taskQueue } = await describeRun(client, runId);
        if (status.name !== 'RUNNING') {
          context.terminal.print(`Run ${runId} had already ended (${status.name.toLowerCase()}).`);
          return;
        }
        await client.workflow.getHandle(runWorkflowId(runId)).cancel();
        const patience = (await countWorkers(client, taskQueue)) > 0 ? waitMs : shortWaitMs;
        const ended = await Promise.race([outcomeOf(client, runId), sleep(patience, undefined, { ref: false })]);
        if (ended === undefined) {
          throw new CliError(
            exitCodes.unavailable,
            `Run ${runId} was asked to cancel but is still running. It ends as soon as a worker runs.`,
            'Start one with: baton worker. Check with: baton doctor',
          );
        }
        context.terminal.print(`Run ${runId}: ${ended.kind}.`);
      }),
    );
}
