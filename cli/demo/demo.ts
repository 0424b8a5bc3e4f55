import { Command, Option } from 'commander';
import { formatDuration, plural } from '../../client/format';
import { type CliContext, CliError, exitCodes } from '../context';
import { finishSetupFirst, onStopSignal, untilInterrupted } from '../signals';
import { approvalStory } from './approval-story';
import { batchStory, lateStory, skillStory } from './batch-story';
import { crashStory } from './crash-story';
import { delegationStory } from './delegation-story';
import { fallbackStory } from './fallback-story';
import { encryptionStory } from './fleet/encryption-story';
import { limitStory } from './fleet/limit-story';
import { versionStory } from './fleet/version-story';
import { budgetStory, handoffStory } from './handoff-story';
import { parkedStory, retryStory } from './parked-story';
import { configuredPlace, localPlace, type Place } from './place';
import { redactionStory } from './redaction-story';
import { relayStory } from './relay-story';
import { rerunStory } from './rerun-story';
import { isScripted, type ScriptedStory } from './scripted-story';
import { type Claim, setStage, type Stage } from './stage';
import { troubleStory } from './trouble-story';

/** `baton demo`: runs the guided examples on a local server. */
export function demoCommand(context: CliContext): Command {
  return new Command('demo')
    .description('run the guided examples on a local server and check every claim')
    .option('--keep', 'keep the server and its Web UI running until Ctrl-C')
    .addOption(
      new Option(
        '--configured',
        'use the server and the store that the environment names, such as a cluster',
      ).conflicts('keep'),
    )
    .addHelpText(
      'after',
      '\nThe exit code is 0 only if every claim held.\n\nExamples:\n  $ baton demo\n  $ baton demo --keep\n  $ TEMPORAL_ADDRESS=… BATON_STORE=… baton demo --configured   # is this cluster ready?\n',
    )
    .action((options: DemoOptions) => runDemo(context, options));
}

interface DemoOptions {
  readonly keep?: boolean;
  readonly configured?: boolean;
}

async function runDemo(context: CliContext, { keep, configured }: DemoOptions): Promise<void> {
  const { terminal } = context;
  const { hasApiKey } = context.settings();
  const opening = openPlace(context, configured === true).then(async (place) => ({
    place,
    stage: await setStage(place, hasApiKey),
  }));
  const { place, stage } = await finishSetupFirst(opening, (opened) => opened.stage.close(), terminal.note);
  const since = Date.now();
  try {
    terminal.print(
      stage.model === undefined
        ? 'ANTHROPIC_API_KEY is set: a real model answers, and you pay for its calls.'
        : 'No ANTHROPIC_API_KEY is set: a scripted model on this machine answers, through the same SDK.',
    );
    const claims = await untilInterrupted(play(context, stage), 'The demo was interrupted.');
    terminal.print('');
    for (const { text, holds } of claims) terminal.print(`${holds ? '✓' : '✗'} ${text}`);
    const broken = claims.filter(({ holds }) => !holds).length;
    terminal.print(
      `\n${claims.length - broken} of ${claims.length} claims held, in ${formatDuration(Date.now() - since)}.`,
    );
    if (keep === true) await keepServerUntilInterrupted(context, place.uiUrl ?? '');
    else if (configured !== true) terminal.print('To inspect the runs in the Web UI, use: baton dev --scripted');
    if (broken > 0) throw new CliError(exitCodes.failed, `${plural(broken, 'claim')} did not hold.`);
  } finally {
    await stage.close();
  }
}

function openPlace(context: CliContext, isConfigured: boolean): Promise<Place> {
  return isConfigured ? configuredPlace(context) : localPlace(context);
}

const stories = [crashStory, delegationStory, batchStory];
/** Stories in which the model must make mistakes on purpose, which only a scripted model does reliably. */
const scriptedStories: readonly ScriptedStory[] = [
  redactionStory,
  lateStory,
  skillStory,
  handoffStory,
  relayStory,
  parkedStory,
  retryStory,
  budgetStory,
  fallbackStory,
  approvalStory,
  troubleStory,
  rerunStory,
  limitStory,
  encryptionStory,
  versionStory,
];

async function play(context: CliContext, stage: Stage): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (const story of stories) claims.push(...(await story(context, stage)));
  if (isScripted(stage)) for (const story of scriptedStories) claims.push(...(await story(context, stage)));
  else
    context.terminal.print(
      '\nRedactions, skills, handoffs, relays, operators, budgets, fallbacks, approvals, limits, encryption and versions are demonstrated only with the scripted model.',
    );
  return claims;
}

async function keepServerUntilInterrupted({ terminal }: CliContext, uiUrl: string): Promise<void> {
  terminal.print(`The Web UI stays up at ${uiUrl} until you press Ctrl-C.`);
  await new Promise<void>((resolve) => {
    const release = onStopSignal(() => {
      release();
      resolve();
    });
  });
}
