import { setTimeout as sleep } from 'node:timers/promises';
import { batonRun, type RunHandle } from '../../client/agent/run-handle';
import { startRun } from '../../client/agent/start';
import type { Incident } from '../../domain/operator';
import { say as answer, scriptByTurn, useTool } from '../../testing/scripted-model';
import { type CliContext, CliError, exitCodes } from '../context';
import { bookBerth, harbourServer } from './harbour';
import { asked, eachOnce, type ScriptedStage, showEnd, wordsOf } from './scripted-story';
import { claim, type Claim, runFor } from './stage';

const wanted = { ship: 'Anna', berth: 12 };
const edited = { ship: 'Anna', berth: 7 };

/** Story: a tool of an MCP server costs money, so a person approves the call, with other arguments. */
export async function approvalStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const before = stage.model.calls.length;
  const input = {
    ...runFor(stage, 'Book a berth for the Anna.'),
    mcp: { [harbourServer]: ['book_berth'] },
    approve: [{ tool: bookBerth, reason: 'It costs money.' }],
  };
  stage.play(
    scriptByTurn(useTool(bookBerth, wanted), ({ toolResults }) => answer(toolResults[0]?.text ?? 'No result.')),
  );
  say('\nA tool of an MCP server, and a person who approves its call');

  await startRun(stage.client, stage.taskQueue, input);
  const run = batonRun(stage.client, input.runId);
  const incident = await whenItAsks(run);
  say(`  run ${input.runId} waits: ${incident.message}`);
  const bookedBefore = (await stage.harbour.bookings()).length;
  const edit = JSON.stringify(edited);
  await run.decide(null, { action: 'approve', edit: edited, by: 'demo', note: 'berth 12 is being dredged' });
  say(`  an operator: baton approve ${input.runId} --edit '${edit}'`);
  const { outcome } = await showEnd(context, stage, input.runId);

  const bookings = await stage.harbour.bookings();
  const calls = asked(stage, before);
  const [booked] = bookings;
  return [
    claim(
      'nothing was booked before the approval, and then once, with the arguments of the operator',
      outcome.kind === 'completed' && bookedBefore === 0 && bookings.length === 1 && booked?.berth === edited.berth,
    ),
    claim('the server received an idempotency key with the call', (booked?.key ?? '') !== ''),
    claim(
      'the model was told that its arguments had been changed, and no call was paid for twice',
      calls.length === 2 && eachOnce(calls) && calls.slice(1).every((call) => /edited|changed/.test(wordsOf(call))),
    ),
  ];
}

async function whenItAsks(run: RunHandle): Promise<Incident> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const [incident] = (await run.tree()).snapshot?.incidents ?? [];
    if (incident !== undefined) return incident;
    await sleep(100);
  }
  throw new CliError(exitCodes.failed, 'The run did not ask for approval within 30 seconds.');
}
